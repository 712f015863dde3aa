import type { EmulatorEvent } from './logs/log.mts';

/** Shows enough of a key to recognize it, but too little to use it. */
function shortKey(key: string): string {
	return `${key.slice(0, Math.min(4, Math.floor(key.length / 4)))}…`;
}

/** A query can carry a secret, so only the path is shown. */
export function withoutQuery(url: string): string {
	return url.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
}

/** Describes an event in one line, without passwords and with shortened keys. */
export function eventLine(event: EmulatorEvent): string {
	// What callers sent may contain line breaks or terminal codes.
	return describe(event).replace(/\p{Cc}+/gu, ' ');
}

function describe(event: EmulatorEvent): string {
	if (event.type === 'log') {
		const { level, message, sessionGuid } = event.entry;
		return [level === 'info' ? '' : `${level}:`, sessionGuid, message].filter(Boolean).join(' ');
	}
	if (event.type === 'delivery') {
		const { event: name, sessionGuid, url, status, error, durationMs } = event.entry;
		const outcome = error ?? String(status);
		return `${sessionGuid} ${name} -> ${withoutQuery(url)} ${outcome} (${durationMs} ms)`;
	}
	const { method, path, status, durationMs, rawHeaders, aborted } = event.entry;
	const key = rawHeaders.find(([name]) => name === 'Token')?.[1];
	const who = key ? `key ${shortKey(key)}` : 'no Token';
	const end = aborted ? ', connection lost' : '';
	return `${method} ${withoutQuery(path)} ${status} (${durationMs} ms, ${who}${end})`;
}
