import { writeFileSync } from 'node:fs';
import { readOptions } from './cli/options.mts';
import { messageOf, StartError } from './errors.mts';
import { eventLine, withoutQuery } from './eventLine.mts';
import type { EmulatorEvent } from './logs/log.mts';

function printEvent(event: EmulatorEvent): void {
	console.log(`${new Date().toTimeString().slice(0, 8)} ${eventLine(event)}`);
}

async function main(): Promise<void> {
	const { caFile, ...options } = readOptions(process.argv.slice(2));
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
	console.log(
		[
			`Voice agent emulator: ${emulator.url}`,
			...(emulator.httpsUrl ? [`With HTTPS:           ${emulator.httpsUrl}`] : []),
			`Swagger UI:           ${emulator.url}/swagger`,
			`CallStart goes to:    ${targets.callStart ? withoutQuery(targets.callStart) : 'nobody'}`,
			`CallEnd goes to:      ${targets.callEnd ? withoutQuery(targets.callEnd) : 'nobody'}`,
			`State:                ${options.dataDir ?? 'in memory'}`,
			'Stop with Ctrl+C',
		].join('\n'),
	);

	const stop = () => {
		// A second signal means that the user does not want to wait.
		process.once('SIGINT', () => process.exit(1));
		process.once('SIGTERM', () => process.exit(1));
		emulator.close().then(
			() => console.log('Stopped'),
			(error: unknown) => {
				console.error(messageOf(error));
				process.exitCode = 1;
			},
		);
	};
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

try {
	await main();
} catch (error) {
	if (!(error instanceof StartError)) throw error;
	console.error(messageOf(error));
	process.exitCode = 1;
}
