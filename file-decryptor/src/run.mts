import { decryptInput, type RunContext } from './decryptInput.mts';
import { listInputs, type Input } from './inputs.mts';
import { collectPasswords } from './passwords.mts';
import { Progress } from './progress.mts';
import { UsageError } from './refusal.mts';
import { Report } from './report.mts';
import { writesToStandardOutput, type Settings } from './settings.mts';
import { standardOutput } from './streams.mts';

/**
 * Does what the command line asks for, one file after the other.
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
	if (writesToStandardOutput(settings) && standardOutput().isTTY) {
		throw new UsageError(
			'Standard output is the terminal, which cannot show audio. Redirect it, or use --output.',
		);
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
	const passwords = list.some(({ refusal }) => !refusal)
		? await collectPasswords(settings, (text) => report.note(text))
		: [];
	const context: RunContext = {
		settings,
		passwords,
		progress,
		report,
		rules: { force: settings.force, inputs: identities, outputs: new Set() },
		tidied: new Set(),
	};

	let failures = 0;
	let refused = 0;
	for (const [index, input] of list.entries()) {
		progress.startFile(index + 1);
		const outcome = await decryptInput(input, context);
		report.outcome(outcome);
		if (outcome.error) failures += 1;
		if (outcome.status === 'refused') refused += 1;
	}
	progress.stop();
	report.summary(settings.dryRun ? 'verified' : 'decrypted', list.length - refused, refused);
	return failures > 0 ? 1 : 0;
}

/** @returns `undefined` if the size of an input is unknown */
function bytesToRead(inputs: readonly Input[], settings: Settings): number | undefined {
	const readings = writesToStandardOutput(settings) ? 2 : 1;
	let bytes = 0;
	for (const { size, refusal } of inputs) {
		if (refusal) continue;
		if (size === undefined) return undefined;
		bytes += size * readings;
	}
	return bytes;
}
