/**
 * Every command of the documentation runs as it stands in its page. The tables say what each one needs and does; here is
 * tested that they know all commands, so that none is documented that never ran.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { shows } from './entry.mts';
import { commands, readPages, repositoryFiles } from './pages.mts';
import { skip } from './runEntries.mts';
import { entries } from './tables/tables.mts';

const documented = readPages(repositoryFiles()).flatMap((page) => commands(page));

suite('what the documentation shows', { skip }, () => {
	for (const page of new Set(documented.map((command) => command.page))) {
		test(`${page}: its commands are in a table`, () => {
			const unknown = documented
				.filter((command) => command.page === page)
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
});
