/**
 * Brings the texts of the nodes into the pages of errors: `node harness/errorsPage.mts`. The pages say which reasons belong
 * together, and in which order: a new reason needs a heading with its name in one of them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const PAGES = ['errors.md', 'errors-settings.md'].map((name) =>
	join(import.meta.dirname, '../docs', name),
);

/**
 * The pages by their paths, with the texts of the built package.
 * @throws {Error} when a reason is in no page, or a page has a heading for none
 */
export function renderErrorsPages(): Map<string, string> {
	const { errorTexts } = createRequire(import.meta.url)('../dist/nodes/errors.js') as {
		errorTexts: Record<string, { message: string; description: string }>;
	};
	const found: string[] = [];
	const pages = PAGES.map((path): [string, string] => {
		const text = readFileSync(path, 'utf8');
		const rendered = text.replaceAll(/^### (\w+)\n\n.*$/gm, (_all, reason: string) => {
			found.push(reason);
			const { message = '', description = '' } = errorTexts[reason] ?? {};
			const plain = (part: string) => part.replaceAll('*', '\\*').replaceAll('_', '\\_');
			return `### ${reason}\n\n**${plain(message)}.** ${plain(description)}`;
		});
		return [path, rendered];
	});
	const known = Object.keys(errorTexts);
	const wrong = [
		...known.filter((reason) => found.filter((one) => one === reason).length !== 1),
		...found.filter((reason) => !known.includes(reason)),
	];
	if (wrong.length > 0) {
		throw new Error(`The pages of errors need one heading each for all reasons: ${wrong.join()}`);
	}
	return new Map(pages);
}

if (import.meta.main) {
	for (const [path, text] of renderErrorsPages()) writeFileSync(path, text);
}
