#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { readOptions } from './cli/options.mts';
import { isoTime } from './clock.mts';
import { endWithNpm } from './end-with-npm.mjs';
import { messageOf, StartError } from './errors.mts';
import { eventLine, withoutQuery } from './eventLine.mts';
import { isNewEnough, OLDEST_NODE } from './oldest-node.mjs';
import type { EmulatorEvent } from './logs/log.mts';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function printEvent(event: EmulatorEvent): void {
	console.log(`${new Date().toTimeString().slice(0, 8)} ${eventLine(event)}`);
}

/** The banner says so, or a reader might take a moved clock for the true time. */
function movedClock(now: number): string {
	const minutes = Math.round((now - Date.now()) / 60_000);
	if (minutes === 0) return '';
	return `, ${Math.abs(minutes)} minutes ${minutes > 0 ? 'ahead of' : 'behind'} this machine`;
}

async function main(): Promise<void> {
	// From the first moment: npm can be gone before the emulator listens.
	let stop = (): void => process.exit(1);
	endWithNpm(() => stop());
	const { caFile, ...options } = readOptions(process.argv.slice(2));
	const { node } = process.versions;
	if (!isNewEnough(node)) {
		throw new StartError(
			`The emulator needs Node ${OLDEST_NODE} or later, and this is Node ${node}.`,
		);
	}
	// Loaded only now: help and refused options should not wait for it.
	const { createEmulator } = await import('./emulator.mts');
	const emulator = await createEmulator({ ...options, onEvent: printEvent });
	if (caFile !== undefined && emulator.caPem !== undefined) {
		try {
			writeFileSync(caFile, emulator.caPem);
		} catch (error) {
			await emulator.close();
			throw new StartError(`--ca-file cannot be written: ${messageOf(error)}`);
		}
	}
	const targets = emulator.control.webhooks();
	const { isProfiled, assumed } = emulator.control.profile();
	console.log(
		[
			`Voice agent emulator: ${emulator.url}`,
			...(emulator.httpsUrl ? [`With HTTPS:           ${emulator.httpsUrl}`] : []),
			`Swagger UI:           ${emulator.url}/swagger`,
			`CallStart goes to:    ${targets.callStart ? withoutQuery(targets.callStart) : 'nobody'}`,
			`CallEnd goes to:      ${targets.callEnd ? withoutQuery(targets.callEnd) : 'nobody'}`,
			`State:                ${options.dataDir ?? 'in memory'}`,
			`Clock:                ${isoTime(emulator.control.now())}${movedClock(emulator.control.now())}`,
			...(isProfiled ? [`Not in the profile:   ${assumed.join('; ')}`] : []),
			'Stop with Ctrl+C',
		].join('\n'),
	);

	let stopping = false;
	stop = () => {
		if (stopping) return;
		stopping = true;
		// A second signal means that the user does not want to wait.
		for (const signal of stopSignals) process.once(signal, () => process.exit(1));
		emulator.close().then(
			() => console.log('Stopped'),
			(error: unknown) => {
				console.error(messageOf(error));
				process.exitCode = 1;
			},
		);
	};
	for (const signal of stopSignals) process.once(signal, stop);
}

try {
	await main();
} catch (error) {
	if (!(error instanceof StartError)) throw error;
	console.error(messageOf(error));
	process.exitCode = 1;
}
