/** The commands of the page about restoring, which test/n8n/restore.test.mts runs. */
import assert from 'node:assert/strict';

import { blocks, readPages } from './pages.mts';

const [page] = readPages(['docs/restore.md']);
assert.ok(page);
const all = blocks(page)
	.filter(({ language }) => language === 'shell')
	.map(({ code }) => code);
const isOfDocker = (code: string) => /^docker /m.test(code);
/** The one block, other than those of Docker, that has this text. */
function blockWith(text: string): string {
	const [block, ...more] = all.filter((code) => !isOfDocker(code) && code.includes(text));
	assert.ok(block && more.length === 0, text);
	return block;
}

const backUp = { sqlite: blockWith('.backup '), postgresdb: blockWith('pg_dump ') };
const restore = {
	sqlite: blockWith("\"UPDATE execution_entity SET status = 'canceled', waitTill = NULL"),
	postgresdb: blockWith('pg_restore '),
};
const unpublish = blockWith('n8n unpublish:workflow');

export const restorePage = {
	backUp,
	restore,
	unpublish,
	/** All that the drill runs. */
	drill: [...Object.values(backUp), ...Object.values(restore), unpublish],
	docker: all.filter(isOfDocker),
};
