import { availableParallelism } from 'node:os';
import { parseArguments } from './arguments.mts';
import type { Progress } from './progress.mts';
import { asRefusal, UsageError } from './refusal.mts';
import { run } from './run.mts';
import { lostText, writeText } from './streams.mts';
import { deleteOwnSync } from './temporaryFiles.mts';

// Takes the arguments out of the list of processes: one of them may be the password.
process.title = 'FileDecryptor';
// A thread for each key, and some for files. Node reads this when it starts the first one.
process.env['UV_THREADPOOL_SIZE'] ??= String(availableParallelism() + 4);
// In case the process ever ends before `main` does.
process.exitCode = 1;

let progress: Progress | undefined;

for (const [signal, number] of [
	['SIGINT', 2],
	['SIGTERM', 15],
	['SIGHUP', 1],
] as const) {
	process.on(signal, () => {
		deleteOwnSync();
		progress?.stop();
		writeText('standard error', 'Stopped. Nothing unfinished was kept.\n');
		process.exit(128 + number);
	});
}

process.on('exit', (code) => {
	const lost = lostText();
	if (lost === undefined) return;
	writeText('standard error', `FileDecryptor: ${lost}.\n`);
	if (code === 0) process.exitCode = 1;
});

async function main(): Promise<number> {
	try {
		const settings = parseArguments(process.argv.slice(2));
		if (!settings) return 0;
		return await run(settings, (started) => (progress = started));
	} catch (error) {
		progress?.stop();
		if (error instanceof UsageError) {
			writeText('standard error', `FileDecryptor: ${error.message}\n`);
			return 2;
		}
		const { message, hint } = asRefusal(error);
		writeText('standard error', `FileDecryptor: ${message}.${hint === '' ? '' : ` ${hint}`}\n`);
		return 1;
	}
}

void main().then((exitCode) => (process.exitCode = exitCode));
