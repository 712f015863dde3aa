/**
 * Every command of the documentation runs: as an entry of a table, in `npm test` or each week, or
 * in GitHub's workflows, some of them with other options. This test finds commands that would never
 * run.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { stages } from '../../scripts/test/stages.mjs';
import { shows } from './entry.mts';
import { commands, readPages, repositoryFiles, ROOT, type Command } from './pages.mts';
import { skip } from './runEntries.mts';
import { entries } from './tables/tables.mts';

const documented = readPages(repositoryFiles()).flatMap((page) => commands(page));
const [ci, weekly] = ['ci', 'weekly'].map((name) =>
	readFileSync(join(ROOT, `.github/workflows/${name}.yml`), 'utf8'),
);
/** Such as `npm run soak`. */
const scriptsOfCi = [...`${ci}${weekly}`.matchAll(/run: (npm (?:test|run [\w:]+))/g)].map(
	([, script = '']) => script,
);

function isRunByCi({ text, folder }: Command): boolean {
	const isTestOfPackage = text === 'npm test' && stages.some(({ name }) => name === folder);
	const isScript = scriptsOfCi.some((script) => `${text} `.startsWith(`${script} `));
	return isTestOfPackage || (folder === '.' && isScript);
}

suite('what the documentation shows', { skip }, () => {
	for (const page of new Set(documented.map((command) => command.page))) {
		test(`${page}: its commands are run`, () => {
			const unknown = documented
				.filter((command) => command.page === page && !isRunByCi(command))
				.filter((command) => !entries.some((entry) => shows(entry, command)))
				.map(({ text }) => text);
			const advice = 'Say in test/docs/tables/ what these do:';
			assert.deepEqual(unknown, [], [advice, ...unknown].join('\n'));
		});
	}

	test('the tables have no command that no page shows', () => {
		const gone = entries
			.filter((entry) => !documented.some((command) => shows(entry, command)))
			.map(({ command, folder = 'any folder' }) => `${command}  (${folder})`);
		assert.deepEqual(gone, [], gone.join('\n'));
	});

	test('the version of n8n that pages show is tried each week', () => {
		const shown = documented.flatMap(({ text }) => text.match(/(?<=test:compat -- )\S+$/) ?? []);
		const [, tried = ''] = /^ +n8n: \[(.*)\]$/m.exec(String(weekly)) ?? [];
		assert.ok(shown.length > 0);
		for (const version of shown) assert.ok(tried.includes(`'${version}'`), version);
	});
});
