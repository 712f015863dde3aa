/** One line for each call that is over, and one for what goes wrong. */
import { readdir } from 'node:fs/promises';

import { eventLine } from '../../emulator/src/eventLine.mts';
import type { Emulator, EmulatorEvent } from '../../emulator/src/index.mts';

/** A call is over when its recording has left the service, or when there is none. */
const DELETE = /^\/api\/customer\/recordings\/([^/?]+)$/;

/** @param archive folder in which the recordings arrive */
export function callLines(control: Emulator['control'], archive: string) {
	return async (event: EmulatorEvent): Promise<void> => {
		if (isProblem(event)) return console.log(`  service | ${eventLine(event)}`);
		const sessionGuid = deletedBy(event) ?? unrecordedIn(event);
		if (sessionGuid === undefined) return;
		const recording = control.recordings().find((one) => one.sessionGuid === sessionGuid);
		const call = control.calls().find((one) => one.sessionGuid === sessionGuid);
		const to = `call to ${recording?.to ?? call?.to ?? 'nobody'}`;
		if (!recording) return console.log(`  ${to}: placed, not recorded`);
		const kind = `${recording.format}${recording.encrypted ? ', encrypted' : ''}`;
		const files = (await readdir(archive)).filter((name) => name.includes(sessionGuid));
		const file = files.find((name) => name.endsWith(`.${recording.format}`));
		const steps = ['placed', 'recorded', ...(file === undefined ? [] : ['archived']), 'deleted'];
		console.log(`  ${to} (${kind}): ${steps.join(', ')}${file === undefined ? '' : `  ${file}`}`);
	};
}

function isProblem(event: EmulatorEvent): boolean {
	if (event.type === 'log') return event.entry.level !== 'info';
	if (event.type === 'delivery') return event.entry.error !== null;
	return (event.entry.status ?? 0) >= 400;
}

/** The recording that this request has deleted. */
function deletedBy(event: EmulatorEvent): string | undefined {
	if (event.type !== 'request' || event.entry.method !== 'DELETE') return undefined;
	const [, sessionGuid] = DELETE.exec(event.entry.path) ?? [];
	return sessionGuid === undefined ? undefined : decodeURIComponent(sessionGuid);
}

/** The call that has ended without a recording, as its CallEnd says. */
function unrecordedIn(event: EmulatorEvent): string | undefined {
	if (event.type !== 'delivery' || event.entry.event !== 'CallEnd') return undefined;
	return event.entry.requestBody.recorded === false ? event.entry.sessionGuid : undefined;
}
