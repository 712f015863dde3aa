/** Reports that concern Code nodes of workflows: the cases `code` of test/vectors/field. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Outputs, runCode } from '../../harness/codeNode.mts';
import { cases, runners, waitsFor } from '../fieldCases/cases.mts';
import { fieldCases } from '../fieldCases/suite.mts';

interface Code {
	workflow: string;
	node: string;
	/** What nodes before it have output. */
	outputs: Outputs;
}

const settings = {
	number: '+15550100100',
	olderThanDays: 0,
	reallyRemove: false,
	folderFilesAreGone: false,
};
const row = {
	id: 1,
	sessionGuid: '0d9a3c5e-7b1f-4a62-9c84-1e5f20a7b311',
	number: '+15550100100',
	archive: 'S3',
	file: 'a.opus',
	archivedAt: '2025-11-01T10:00:00Z',
};

fieldCases<Code>(
	'code',
	[
		{
			input: {
				workflow: 'forget-caller',
				node: 'Choose what goes',
				outputs: {
					Settings: [settings],
					'Get calls from the ledger': [row],
					'List recordings at the service': [],
				},
			},
			holds: { contains: row.sessionGuid },
			doesNotHold: { lacks: row.sessionGuid },
		},
	],
	async (_t, { workflow, node, outputs }) => {
		const items = await runCode(workflow, node, outputs);
		return { items: items.map(({ json }) => json) };
	},
);

test('each field case has a runner', () => {
	const orphans = cases.filter(({ kind }) => !runners.has(kind));
	assert.deepEqual(orphans, []);
});

test('each field case that waits is there, and waits for one thing', () => {
	const ids = new Set(cases.map(({ id }) => id));
	assert.equal(ids.size, cases.length, 'ids are unique');
	assert.deepEqual(
		[...waitsFor.keys()].filter((id) => !ids.has(id)),
		[],
	);
});
