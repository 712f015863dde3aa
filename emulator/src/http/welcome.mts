import type { FastifyInstance } from 'fastify';

/** Shows what the controls say, again and again, and sets the webhooks with them. */
const SCRIPT = `
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
const fill = (id, rows) => element(id).replaceChildren(...rows.map((cells) => {
	const row = document.createElement('tr');
	for (const cell of cells) row.insertCell().textContent = cell ?? '';
	return row;
}));
const say = (promise, done) => promise.then(
	() => { element('said').textContent = done; show(); },
	(error) => { element('said').textContent = error.message; },
);
async function show() {
	const [calls, recordings, deliveries, clock] = await Promise.all(
		['calls', 'recordings', 'deliveries', 'clock'].map((path) => control(path)),
	);
	const newest = (list) => list.slice(-20).reverse();
	const hoursLeft = ({ state, endedAt }) => state === 'stored'
		? (168 - (Date.parse(clock.now) - Date.parse(endedAt)) / 3600000).toFixed(1) + ' h'
		: '';
	fill('calls', newest(calls).map((one) =>
		[time(one.startedAt), one.to, one.state, one.recorded ? 'yes' : 'no', one.sessionGuid]));
	fill('recordings', newest(recordings).map((one) =>
		[time(one.endedAt), one.to, one.format, one.encrypted ? 'yes' : 'no', one.state, hoursLeft(one), one.sessionGuid]));
	fill('deliveries', newest(deliveries).map((one) =>
		[time(one.startedAt), one.event, one.url, one.status ?? one.error, (one.replyBody ?? '').slice(0, 200)]));
}
element('webhooks').addEventListener('submit', (event) => {
	event.preventDefault();
	const { callStart, callEnd, header, secret } = Object.fromEntries(new FormData(event.target));
	const value = secret ? { in: 'header', name: header, value: secret } : null;
	say(
		control('webhooks', 'PUT', { callStart: callStart || null, callEnd: callEnd || null })
			.then(() => control('webhook-delivery', 'PUT', { secret: value })),
		'Webhooks are set.',
	);
});
element('call').addEventListener('submit', (event) => {
	event.preventDefault();
	const { to } = Object.fromEntries(new FormData(event.target));
	say(control('calls', 'POST', { to }), 'The call is placed.');
});
Promise.all([control('webhooks'), control('webhook-delivery')]).then(([targets, { secret }]) => {
	const { callStart, callEnd, header } = element('webhooks').elements;
	callStart.value = targets.callStart ?? '';
	callEnd.value = targets.callEnd ?? '';
	if (secret?.in === 'header') header.value = secret.name;
}).catch(() => {});
const repeat = () => show().catch((error) => { element('said').textContent = error.message; })
	.finally(() => setTimeout(repeat, 2000));
repeat();
`;

const table = (id: string, title: string, columns: string[]) => `<h2>${title}</h2>
<table><thead><tr>${columns.map((column) => `<th>${column}</th>`).join('')}</tr></thead><tbody id="${id}"></tbody></table>`;

const PAGE = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Voice agent emulator</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 0.3rem; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 3px 10px 3px 0; border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
form { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: end; }
label { display: grid; flex: 1 1 12rem; font-size: 13px; }
input, button { font: inherit; padding: 4px 8px; }
</style>
<h1>Voice agent emulator</h1>
<p>A local stand-in of the voice-agent telephony service. Its API is below <code>/api/customer</code>; by default, the API
key is <code>demo-key</code>. <a href="/swagger">Swagger UI</a> · <a href="/swagger/v1/swagger.json">OpenAPI document</a> ·
<a href="/control/requests">requests</a> · <a href="/control/log">log</a></p>
<h2>Webhooks</h2>
<form id="webhooks">
<label>CallStart URL <input name="callStart" type="url" placeholder="https://n8n.example.com/webhook/…"></label>
<label>CallEnd URL <input name="callEnd" type="url" placeholder="https://n8n.example.com/webhook/…"></label>
<label>Header <input name="header" value="X-Webhook-Secret"></label>
<label>Secret <input name="secret" type="password" autocomplete="off"></label>
<button>Set webhooks</button>
</form>
<h2>Place a call</h2>
<form id="call"><label>Number <input name="to" value="+15550100" required></label><button>Call</button></form>
<p id="said" role="status"></p>
${table('calls', 'Calls', ['Started', 'To', 'State', 'Recorded', 'Session GUID'])}
${table('recordings', 'Recordings', ['Call ended', 'To', 'Format', 'Encrypted', 'State', 'Left', 'Session GUID'])}
${table('deliveries', 'Webhook deliveries', ['Sent', 'Event', 'URL', 'Status', 'Reply'])}
<script type="module">${SCRIPT}</script>
</html>
`;

/** Adds the page at `/`, which shows what happens and sets the webhooks, and `/ready`. */
export function addWelcome(app: FastifyInstance): void {
	app.get('/', { schema: { hide: true } }, async (_request, reply) =>
		reply.type('text/html; charset=utf-8').send(PAGE),
	);
	// For whoever waits until the emulator takes requests. It listens last, so any answer says so.
	app.get('/ready', { schema: { hide: true } }, async () => ({ ready: true }));
}
