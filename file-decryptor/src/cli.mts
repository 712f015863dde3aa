import { parseArguments } from './arguments.mts';
import { asRefusal, UsageError } from './refusal.mts';
import type { Report } from './report.mts';
import { run } from './run.mts';
import { deleteOwnSync } from './temporary.mts';
import { standardError } from './streams.mts';

// Takes the arguments, of which one may be the password, out of the list of processes.
process.title = 'FileDecryptor';
// Should the process ever end before `main` has.
process.exitCode = 1;

let report: Report | undefined;

for (const [signal, number] of [
	['SIGINT', 2],
	['SIGTERM', 15],
	['SIGHUP', 1],
] as const) {
	process.on(signal, () => {
		deleteOwnSync();
		report?.stop();
		standardError().write('Stopped. Nothing unfinished was kept.\n');
		process.exit(128 + number);
	});
}

async function main(): Promise<number> {
	try {
		const settings = parseArguments(process.argv.slice(2));
		if (!settings) return 0;
		return await run(settings, (started) => (report = started));
	} catch (error) {
		report?.stop();
		if (error instanceof UsageError) {
			standardError().write(`FileDecryptor: ${error.message}\n`);
			return 2;
		}
		const { message, hint } = asRefusal(error);
		standardError().write(`FileDecryptor: ${message}.${hint === '' ? '' : ` ${hint}`}\n`);
		return 1;
	}
}

void main().then((exitCode) => (process.exitCode = exitCode));
