import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { decryptInput, type RunContext } from './decryptInput.mts';
import type { FileIdentity } from './fileIdentity.mts';
import { listInputs, type Input } from './inputs.mts';
import { collectPasswords } from './passwords.mts';
import { planOutputs } from './plan.mts';
import { Progress } from './progress.mts';
import { UsageError } from './refusal.mts';
import { Report, type Outcome } from './report.mts';
import { writesToStandardOutput, type Settings } from './settings.mts';
import { standardOutput } from './streams.mts';
import { deleteEmptyFoldersSync } from './temporaryFiles.mts';

/** Deciphering takes one core. While the first file is flushed, the second one uses this core. */
const WRITTEN_AT_ONCE = 2;

/**
 * Does what the command line asks for. As many files are in work as there are cores, because a core
 * needs some time to derive the key of a file.
 *
 * @param onProgress called with the progress before anything is shown
 * @returns the exit code
 * @throws UsageError before anything was done
 */
export async function run(
	settings: Settings,
	onProgress: (progress: Progress) => void,
): Promise<0 | 1> {
	const { list, identities } = await listInputs(settings.files);
	if (settings.output !== undefined && list.length > 1) {
		throw new UsageError('--output is for one file. For several, use --out-dir.');
	}
	if (writesToStandardOutput(settings) && standardOutput().isTTY) {
		throw new UsageError(
			'Standard output is the terminal, which cannot show audio. Redirect it, or use --output.',
		);
	}
	const rules = { force: settings.force, inputs: identities, outputs: new Set<FileIdentity>() };
	if (!settings.dryRun && !writesToStandardOutput(settings)) {
		await planOutputs(list, settings, rules);
	}
	const progress = new Progress({
		quiet: settings.quiet,
		files: list.length,
		totalBytes: bytesToRead(list, settings),
	});
	onProgress(progress);
	const report = new Report(settings, progress);

	// Nobody is asked for a password that nothing needs.
	const passwords = list.some(isToBeOpened)
		? await collectPasswords(settings, (text) => report.note(text))
		: [];
	const context: RunContext = {
		settings,
		passwords,
		progress,
		report,
		rules,
		tidied: new Set(),
		writeInTurn: pLimit(WRITTEN_AT_ONCE),
	};

	progress.begin();
	const workInTurn = pLimit(availableParallelism());
	const begun = list.map((input) =>
		workInTurn(async () => {
			progress.startFile();
			return await decryptInput(input, context);
		}),
	);
	// In the order of the inputs, whichever is done first.
	const statuses: Outcome['status'][] = [];
	let exitCode: 0 | 1 = 0;
	for (const work of begun) {
		const outcome = await work;
		report.outcome(outcome);
		statuses.push(outcome.status);
		if (outcome.error) exitCode = 1;
	}
	deleteEmptyFoldersSync();
	progress.stop();
	report.summary(statuses);
	return exitCode;
}

function isToBeOpened({ refusal, existing }: Input): boolean {
	return !refusal && existing === undefined;
}

/** @returns `undefined` if the size of an input is unknown */
function bytesToRead(inputs: readonly Input[], settings: Settings): number | undefined {
	const readings = writesToStandardOutput(settings) ? 2 : 1;
	let bytes = 0;
	for (const { size } of inputs.filter(isToBeOpened)) {
		if (size === undefined) return undefined;
		bytes += size * readings;
	}
	return bytes;
}
