import { availableParallelism } from 'node:os';
import { decryptInput, type RunContext } from './decryptInput.mts';
import type { FileIdentity } from './fileIdentity.mts';
import { inOrder } from './inOrder.mts';
import { listInputs, type Input } from './inputs.mts';
import { collectPasswords } from './passwords.mts';
import { planOutputs } from './plan.mts';
import { Progress } from './progress.mts';
import { UsageError } from './refusal.mts';
import { Report, type Outcome } from './report.mts';
import { writesToStandardOutput, type Settings } from './settings.mts';
import { standardOutput } from './streams.mts';
import { deleteEmptyFoldersSync } from './temporaryFiles.mts';
import { Turnstile } from './turnstile.mts';

/** Deciphering takes one core, however many files are written: the second one uses the time of a flush. */
const WRITTEN_AT_ONCE = 2;

/**
 * Does what the command line asks for. As many files are in work as there are cores, since each needs a key, and a key
 * takes a core some time.
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
		json: settings.json,
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
		writing: new Turnstile(WRITTEN_AT_ONCE),
	};

	const outcomes: Outcome[] = [];
	const work = async (input: Input): Promise<Outcome> => {
		progress.startFile();
		return await decryptInput(input, context);
	};
	for await (const outcome of inOrder(list, availableParallelism(), work)) {
		report.outcome(outcome);
		outcomes.push(outcome);
	}
	deleteEmptyFoldersSync();
	progress.stop();
	report.summary(outcomes.map(({ status }) => status));
	return outcomes.some(({ error }) => error) ? 1 : 0;
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
