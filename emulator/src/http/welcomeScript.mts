/** The script of the page at `/`. It shows what the controls say, and uses them. */
export const WELCOME_SCRIPT = String.raw`
const element = (id) => document.getElementById(id);
const control = async (path, method = 'GET', body) => {
	const reply = await fetch('/control/' + path, {
		method,
		...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
	});
	const answer = await reply.json();
	if (!reply.ok) throw new Error(answer.error.message);
	return answer;
};
const time = (text) => text ? new Date(text).toLocaleTimeString() : '';

/** The secrets of a reply, which anyone who looks at the screen could read, as dots. */
const HIDDEN = '••••••';
const isSecret = (name) => /password|secret|token/i.test(name);
const withoutSecrets = (text) => {
	try {
		return JSON.stringify(JSON.parse(text, (name, value) =>
			isSecret(name) && typeof value === 'string' ? HIDDEN : value), null, 2);
	} catch {
		return text.replace(/(\w*(?:password|secret|token)\w*["']?\s*[:=>]\s*["']?)[^"'&,;<}\s]+/gi, '$1' + HIDDEN);
	}
};
const withoutSecretOf = (address, secret) => {
	const url = new URL(address);
	if (secret?.in === 'query' && url.searchParams.has(secret.name)) url.searchParams.set(secret.name, HIDDEN);
	return decodeURI(url.href).replaceAll(encodeURIComponent(HIDDEN), HIDDEN);
};

/** An address may break behind its signs, but not inside a word. */
const address = (text) => text.split(/(?<=[/?&=])/).flatMap((part) => [part, document.createElement('wbr')]);
/** A text whose first line is shown, and the rest when it is opened. */
const opened = new Set();
const openable = (key, text) => {
	const line = text.replace(/\s+/g, ' ');
	if (line.length <= 60) return [line];
	const details = document.createElement('details');
	const summary = details.appendChild(document.createElement('summary'));
	summary.textContent = line.slice(0, 60).replace(/\s+\S*$/, '') + ' …';
	details.appendChild(document.createElement('pre')).textContent = text;
	details.open = opened.has(key);
	details.addEventListener('toggle', () => details.open ? opened.add(key) : opened.delete(key));
	return [details];
};

/** Fills a table anew only if there is something new: an open reply and a selection stay. */
const shown = {};
const fill = (id, list, cellsOf, failed = () => false) => {
	const newest = list.slice(-20).reverse();
	if (shown[id] === JSON.stringify(newest)) return;
	shown[id] = JSON.stringify(newest);
	const heads = [...element(id).closest('table').tHead.rows[0].cells];
	element(id).replaceChildren(...newest.map((one) => {
		const row = document.createElement('tr');
		row.classList.toggle('failed', failed(one));
		cellsOf(one).forEach((content, index) => {
			const cell = row.insertCell();
			cell.dataset.label = heads[index].textContent;
			cell.className = heads[index].className;
			cell.append(...[content ?? ''].flat());
		});
		return row;
	}));
	element(id + '-empty').hidden = newest.length > 0;
};
const say = (promise, done) => promise.then(
	() => { element('said').className = ''; element('said').textContent = done; return show(); },
	(error) => { element('said').className = 'wrong'; element('said').textContent = error.message; },
);

/** What the emulator keeps of the secret. The field is only for a new one. */
let secret = null;
function showSettings(targets, delivery) {
	secret = delivery.secret;
	element('remove').hidden = secret === null;
	element('webhooks').elements.secret.placeholder = secret ? 'set (empty keeps it)' : 'none';
	const without = [['CallStart', targets.callStart], ['CallEnd', targets.callEnd]].filter(([, url]) => url === null);
	element('nowhere').textContent = without.length === 0 ? '' :
		without.map(([name]) => name).join(' and ') + (without.length === 1 ? ' is' : ' are') + ' sent nowhere: no URL is set.';
}
async function show() {
	const [calls, recordings, deliveries, clock, targets, delivery] = await Promise.all(
		['calls', 'recordings', 'deliveries', 'clock', 'webhooks', 'webhook-delivery'].map((path) => control(path)),
	);
	showSettings(targets, delivery);
	const hoursLeft = ({ state, endedAt }) => state === 'stored'
		? (168 - (Date.parse(clock.now) - Date.parse(endedAt)) / 3600000).toFixed(1) + ' h'
		: '';
	fill('calls', calls, (one) =>
		[time(one.startedAt), one.to, one.state, one.outcome, one.recorded ? 'yes' : 'no', one.sessionGuid]);
	fill('recordings', recordings.map((one) => ({ ...one, left: hoursLeft(one) })), (one) =>
		[time(one.endedAt), one.to, one.format, one.encrypted ? 'yes' : 'no', one.state, one.left, one.sessionGuid]);
	fill('deliveries', deliveries, (one) => [
		time(one.startedAt),
		one.event + (one.attempt > 1 ? ' (attempt ' + one.attempt + ')' : ''),
		one.error === null ? String(one.status) : 'Failed: ' + (one.status ?? 'no reply'),
		address(withoutSecretOf(one.url, secret)),
		openable(one.id, one.replyBody === null ? one.error ?? '' : withoutSecrets(one.replyBody)),
	], (one) => one.error !== null);
}

element('webhooks').addEventListener('submit', (event) => {
	event.preventDefault();
	const form = event.target;
	const { callStart, callEnd, header, value, remove, preset } = {
		...Object.fromEntries(new FormData(form)),
		value: form.elements.secret.value,
	};
	const kept = secret?.in === 'header' ? { ...secret, name: header } : secret;
	const wanted = value ? { in: 'header', name: header, value } : remove ? null : kept;
	const delivery = { secret: wanted, ...(preset !== 'custom' && { preset: preset || null, retries: 0 }) };
	say(
		control('webhooks', 'PUT', { callStart: callStart || null, callEnd: callEnd || null })
			.then(() => control('webhook-delivery', 'PUT', delivery))
			.then(() => { form.elements.secret.value = ''; form.elements.remove.checked = false; }),
		'Webhooks are set' + (wanted ? ', with a secret.' : ', without a secret.'),
	);
});
element('call').addEventListener('submit', (event) => {
	event.preventDefault();
	const { to, outcome } = Object.fromEntries(new FormData(event.target));
	say(control('calls', 'POST', { to, ...(outcome && { outcome }) }), 'The call is placed.');
});
Promise.all([control('webhooks'), control('webhook-delivery')]).then(([targets, delivery]) => {
	const { callStart, callEnd, header, preset } = element('webhooks').elements;
	callStart.value = targets.callStart ?? '';
	callEnd.value = targets.callEnd ?? '';
	if (delivery.secret) header.value = delivery.secret.name;
	if (delivery.retries > 0) preset.add(new Option(delivery.retries + ' retries, as set', 'custom'));
	preset.value = delivery.retries > 0 ? 'custom' : delivery.preset ?? '';
}).catch(() => {});
const repeat = () => show()
	.catch((error) => { element('said').className = 'wrong'; element('said').textContent = error.message; })
	.finally(() => setTimeout(repeat, 2000));
repeat();
`;
