import type { FastifyInstance } from 'fastify';
import { outcomes } from '../calls/outcomes.mts';
import { presetNames } from '../webhooks/presets.mts';
import { WELCOME_SCRIPT } from './welcomeScript.mts';

interface Column {
	head: string;
	/** Fits one line. Only addresses, replies and the like may take more. */
	isShort?: boolean;
}

const short = (...heads: string[]) => heads.map((head): Column => ({ head, isShort: true }));

/** @param empty how to fill the table */
function table(id: string, title: string, columns: Column[], empty: string): string {
	const heads = columns.map(
		({ head, isShort }) => `<th${isShort ? ' class="short"' : ''}>${head}</th>`,
	);
	return `<h2>${title}</h2>
<table><thead><tr>${heads.join('')}</tr></thead><tbody id="${id}"></tbody></table>
<p class="empty" id="${id}-empty">${empty}</p>`;
}

const choices = (first: string, names: readonly string[]) =>
	`<option value="">${first}</option>${names.map((name) => `<option>${name}</option>`).join('')}`;

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --muted: light-dark(#5a5a5a, #a8a8a8); --wrong: light-dark(#b3261e, #ff8a80); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1300px; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 0.3rem; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--line); }
.short { white-space: nowrap; }
.failed td { color: var(--wrong); }
.empty, #nowhere { color: var(--muted); font-size: 13px; margin: 0.4rem 0; }
.wrong { color: var(--wrong); }
summary { cursor: pointer; }
pre { font: 12px/1.5 ui-monospace, monospace; margin: 0.3rem 0; white-space: pre-wrap; overflow-x: auto; max-width: 40rem; }
form { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: end; }
label { display: grid; flex: 1 1 12rem; font-size: 13px; }
label.url { flex-basis: 26rem; }
label.check { display: flex; flex: 0 0 auto; gap: 0.3rem; align-items: center; padding-bottom: 5px; }
form { font-size: 13px; }
input, select, button { font: inherit; padding: 4px 8px; min-width: 0; }
[hidden] { display: none !important; }
@media (max-width: 60rem) {
	label.url { flex-basis: 100%; }
	thead { display: none; }
	tr { display: block; border-bottom: 1px solid var(--line); padding: 0.4rem 0; }
	td { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); border: 0; padding: 1px 0; }
	td:empty { display: none; }
	td::before { content: attr(data-label); color: var(--muted); }
	.short { white-space: normal; }
}
`;

const PAGE = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Voice agent emulator</title>
<style>${STYLE}</style>
<h1>Voice agent emulator</h1>
<p>A local stand-in for the voice-agent telephony service. Its API is below <code>/api/customer</code>; by default, the API
key is <code>demo-key</code>. <a href="/swagger">Swagger UI</a> · <a href="/swagger/v1/swagger.json">OpenAPI document</a> ·
<a href="/control/requests">requests</a> · <a href="/control/log">log</a></p>
<h2>Webhooks</h2>
<form id="webhooks">
<label class="url">CallStart URL <input name="callStart" type="url" placeholder="https://n8n.example.com/webhook/…"></label>
<label class="url">CallEnd URL <input name="callEnd" type="url" placeholder="https://n8n.example.com/webhook/…"></label>
<label>Header <input name="header" value="X-Webhook-Secret"></label>
<label>Secret <input name="secret" type="password" autocomplete="off"></label>
<label class="check" id="remove" hidden><input name="remove" type="checkbox"> Remove the secret</label>
<label>Retries as made by <select name="preset">${choices('nobody: one attempt', presetNames.slice(1))}</select></label>
<button>Set webhooks</button>
</form>
<p id="nowhere"></p>
<h2>Place a call</h2>
<form id="call">
<label>Number <input name="to" value="+15550100" required></label>
<label>Outcome <select name="outcome">${choices('as set for the number', outcomes)}</select></label>
<button>Call</button>
</form>
<p id="said" role="status"></p>
${table(
	'calls',
	'Calls',
	short('Started', 'To', 'State', 'Outcome', 'Recorded', 'Session GUID'),
	'No calls yet. Place one above, or with <code>POST /api/customer/makecall</code>.',
)}
${table(
	'recordings',
	'Recordings',
	short('Call ended', 'To', 'Format', 'Encrypted', 'State', 'Left', 'Session GUID'),
	`No recordings yet. A call is recorded if the answer to CallStart says <code>recordCall: true</code>. Without a
CallStart URL, start the emulator with <code>--default-instructions '{"recordCall":true}'</code>.`,
)}
${table(
	'deliveries',
	'Webhook deliveries',
	[...short('Sent', 'Event', 'Status'), { head: 'URL' }, { head: 'Reply' }],
	'No webhooks yet. Enter the Production URLs of your triggers above, set them, and place a call.',
)}
<script type="module">${WELCOME_SCRIPT}</script>
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
