/** Existing Files of Decrypt: what is there already is not written again, and not written over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { byGuid, voiceAgent } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';

const engine = await sharedEngine();

/** A node before Decrypt that downloads the recording of the item. */
const download = (name: string, parameters: object) =>
	voiceAgent(
		{ resource: 'recording', operation: 'download', recording: byGuid(), ...parameters },
		{ name },
	);

/**
 * Downloads each recording, as the file that exists and to be decrypted.
 *
 * @param existingName of the files that exist
 * @param outputFileName of what is decrypted
 */
async function decryptAgain(
	sessionGuids: string[],
	existingName: string,
	outputFileName: string,
	{ existingFiles = "={{ $('Existing').all() }}", binaryMode = 'separate' } = {},
) {
	const execution = await engine.runNode({
		before: [
			download('Existing', { options: { outputFileName: existingName } }),
			download('Sealed', { decrypt: 'never' }),
		],
		parameters: {
			resource: 'recording',
			operation: 'decrypt',
			inputBinaryField: binaryMode === 'combined' ? '_files.data' : 'data',
			options: { existingFiles, outputFileName },
		},
		items: sessionGuids.map((sessionGuid) => ({ sessionGuid })),
		settings: { onError: 'continueRegularOutput' },
		workflowSettings: { binaryMode },
	});
	return execution.items(NODE).map(({ json, binary }) => ({
		exists: json.exists,
		reason: (json.details as { reason?: string } | undefined)?.reason,
		error: json.error,
		hasFile: Boolean(binary ?? json._files),
	}));
}

/** Files that are decrypted at the same time may come first in either order. */
const writtenFirst = (items: Awaited<ReturnType<typeof decryptAgain>>) =>
	items.toSorted((a, b) => Number(b.hasFile) - Number(a.hasFile));

async function add(count: number): Promise<string[]> {
	const { control } = engine.emulator;
	const guids = [];
	for (let index = 0; index < count; index++) {
		guids.push((await control.addRecording({ format: 'wav', password: PASSWORD })).sessionGuid);
	}
	return guids;
}

const written = { exists: undefined, reason: undefined, error: undefined, hasFile: true };
const left = { ...written, exists: true, hasFile: false };
const refused = (name: string) => ({
	...written,
	reason: 'fileExists',
	error: `A file with this name exists and has other content: ${name}`,
	hasFile: false,
});

for (const binaryMode of ['separate', 'combined']) {
	const options = { binaryMode };
	test(`another name: written (${binaryMode})`, async () => {
		const guids = await add(2);
		const items = await decryptAgain(guids, 'other-{sessionGuid}', '{sessionGuid}', options);
		assert.deepEqual(items, [written, written]);
	});

	test(`the same name and content: not written (${binaryMode})`, async () => {
		const guids = await add(2);
		const items = await decryptAgain(guids, '{sessionGuid}', '{sessionGuid}', options);
		assert.deepEqual(items, [left, left]);
	});

	test(`the same name, another content: refused (${binaryMode})`, async () => {
		const guids = await add(2);
		// Both files exist under the name of the first.
		const items = await decryptAgain(guids, 'call', 'call', options);
		assert.deepEqual(items, [refused('call'), refused('call')]);
	});
}

test('letter case and composed letters make no other name', async () => {
	const [guid = ''] = await add(1);
	assert.deepEqual(await decryptAgain([guid], 'Gru\u0308n', 'GR\u00dcN'), [left]);
});

test('two items of one name: the second is not written, or refused', async () => {
	const existingFiles = '={{ [{ json: {} }] }}';
	const [one = '', other = ''] = await add(2);
	const again = await decryptAgain([one, one], 'x', 'call', { existingFiles });
	assert.deepEqual(writtenFirst(again), [written, left]);
	const differs = await decryptAgain([one, other], 'x', 'call', { existingFiles });
	assert.deepEqual(writtenFirst(differs), [written, refused('call')]);
	// Another execution begins anew.
	assert.deepEqual(await decryptAgain([other], 'x', 'call', { existingFiles }), [written]);
});

test('what is no item of another node is refused by name', async () => {
	const [guid = ''] = await add(1);
	for (const existingFiles of ['call.wav', '={{ [5] }}']) {
		const [item] = await decryptAgain([guid], 'x', 'call', { existingFiles });
		assert.match(
			String(item?.error),
			/'Existing Files' must be what the node that reads them has output/,
		);
		assert.equal(item?.reason, 'invalidParameter');
	}
});
