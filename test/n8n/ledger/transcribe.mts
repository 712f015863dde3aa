/** transcribe-and-file: transcripts beside recordings that an archive workflow has stored. */
import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { rowOf as rowIn } from '../../../harness/ledger.mts';
import type { Execution, Row, Workflow } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { folderArchive, type Archive } from '../../../harness/standIns/archives.mts';
import { startOpenAi, type Audio } from '../../../harness/standIns/openAi.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow, withLedger } from '../../../harness/workflows.mts';
import { CALL_END as TRIGGER, publishArchive, sendCallEndsTo } from '../archived.mts';
import { ledgerOf, serviceOf, shared, succeeded, type Host } from '../suite.mts';

const SAID = { text: ' Guten Tag, ich möchte den Termin verschieben. ', language: 'german' };
const SUMMARY = {
	who: 'Frau Müller',
	wanted: 'den Termin verschieben',
	agreed: 'Dienstag, 10 Uhr',
	nextStep: 'Die Praxis schickt eine Bestätigung',
	language: 'de',
};
const TEXT = `Who: Frau Müller
Wanted: den Termin verschieben
Agreed: Dienstag, 10 Uhr
Next step: Die Praxis schickt eine Bestätigung
Language: de

Guten Tag, ich möchte den Termin verschieben.
`;

export function transcribeSuite(getHost: () => Host): void {
	suite('workflow: transcribe-and-file', { concurrency: 1 }, () => {
		const stack = serviceOf(() => getHost().n8n);
		const ledger = ledgerOf(() => getHost().n8n);
		let archive: Archive;
		let archiveId: string;
		let transcribe: (audio: Audio) => number | { text: string; language: string; duration: number };
		const works = () => ({ ...SAID, duration: 12.5 });
		const provider = shared(
			async () =>
				await startOpenAi({
					chat: () => ({ content: JSON.stringify(SUMMARY) }),
					transcribe: (audio) => transcribe(audio),
				}),
		);
		before(async () => {
			const { n8n, folder } = getHost();
			archive = await folderArchive(folder);
			archiveId = await publishArchive(
				stack,
				withLedger(archive.configured()),
				archive.credentials,
			);
			const openAiApi = await n8n.createCredential(provider.credential);
			Object.assign(stack.credentials, { openAiApi });
		});
		beforeEach(() => {
			transcribe = works;
			provider.audio.length = 0;
		});
		after(async () => {
			await stack.n8n.deactivate(archiveId);
			await archive.close();
		});

		/** Lets the workflow archive a recording, and returns what it has entered in the ledger. */
		async function archived(format: 'opus' | 'mp3' | 'wav'): Promise<Row> {
			const { control } = stack.emulator;
			const { sessionGuid } = await control.addRecording({ format });
			await control.sendCallEnd(sessionGuid);
			const query = { workflowId: archiveId, trigger: TRIGGER, sessionGuid, count: 1 };
			succeeded((await executionsFor(stack.n8n, query))[0]);
			return await rowOf(sessionGuid);
		}

		const rowOf = async (sessionGuid: unknown) => await rowIn(ledger, String(sessionGuid));

		async function run(change = (_workflow: Workflow): void => {}): Promise<Execution> {
			const workflow = readWorkflow('transcribe-and-file');
			change(workflow);
			for (const name of ['Transcribe the recording', 'Sum up the call']) {
				nodeOf(workflow, name).credentials = { openAiApi: {} };
			}
			const id = await stack.n8n.importWorkflow(workflow, stack.credentials);
			return await stack.n8n.run(id, { trigger: 'Every 15 minutes' });
		}

		test('a transcript and a summary are stored beside each recording, once', async () => {
			const rows = [await archived('opus'), await archived('mp3'), await archived('wav')];
			succeeded(await run());
			assert.deepEqual(provider.audio.map(({ name }) => name).sort(), [
				'recording.mp3',
				'recording.ogg',
				'recording.wav',
			]);
			for (const row of rows) {
				const recording = await readFile(String(row.file));
				assert.ok(provider.audio.some(({ content }) => content.equals(recording)));
				const transcript = String(row.file).replace(/\.\w+$/, '.transcript.txt');
				assert.equal(await readFile(transcript, 'utf8'), TEXT);
				const entered = await rowOf(row.sessionGuid);
				assert.ok(entered.transcribedAt, JSON.stringify(entered));
				assert.deepEqual(
					[entered.transcript, entered.language, entered.transcriptError],
					[transcript, 'de', undefined],
				);
				assert.match(String(entered.summary), /Wanted: den Termin verschieben/);
				assert.equal(entered.file, row.file);
			}
			assert.match(JSON.stringify(provider.requests[0]), /Guten Tag/);
			succeeded(await run());
			assert.equal(provider.audio.length, 3);
		});

		test('a recording that is kept encrypted is decrypted on the way', async () => {
			const keeping = archive.configured();
			nodeOf(keeping, 'Download recording').parameters.decrypt = 'never';
			const id = await publishArchive(stack, withLedger(keeping));
			const { control } = stack.emulator;
			const { sessionGuid, plainSha256 } = await control.addRecording({ password: PASSWORD });
			await control.sendCallEnd(sessionGuid);
			const query = { workflowId: id, trigger: TRIGGER, sessionGuid, count: 1 };
			succeeded((await executionsFor(stack.n8n, query))[0]);
			await stack.n8n.deactivate(id);
			await sendCallEndsTo(stack, archiveId);
			const { file } = await rowOf(sessionGuid);
			assert.match(String(file), /\.enc$/);

			succeeded(
				await run((workflow) => {
					nodeOf(workflow, 'Decrypt the recording').disabled = false;
				}),
			);
			const [sent] = provider.audio;
			assert.deepEqual([sent?.name, sha256(sent?.content ?? '')], ['recording.ogg', plainSha256]);
			const { transcript } = await rowOf(sessionGuid);
			assert.equal(transcript, String(file).replace(/\.enc$/, '.transcript.txt'));
			assert.equal(await readFile(String(transcript), 'utf8'), TEXT);
		});

		test('what fails is in the ledger, keeps no other one waiting, and is tried again later', async () => {
			const refused = await archived('opus');
			const missing = await archived('opus');
			const good = await archived('mp3');
			await rm(String(missing.file));
			transcribe = ({ name }) => (name.endsWith('.ogg') ? 500 : works());
			const failed = await run();
			assert.equal(failed.status, 'error');
			assert.ok(
				String(failed.error?.message).includes(String(refused.file)),
				failed.error?.message,
			);
			assert.ok((await rowOf(refused.sessionGuid)).transcriptError);
			assert.ok((await rowOf(good.sessionGuid)).transcribedAt);
			assert.equal((await rowOf(missing.sessionGuid)).transcribedAt, undefined);
			const stored = await readdir(join(String(refused.file), '..'));
			assert.equal(stored.filter((name) => name.endsWith('.transcript.txt')).length, 5);

			transcribe = works;
			const sent = provider.audio.length;
			await run();
			assert.equal(provider.audio.length, sent, 'tried again at once');
			const transcriptTriedAt = new Date(Date.now() - 2 * 3_600_000).toISOString();
			const { recordingKey } = refused;
			await ledger.update(
				{ column: 'recordingKey', value: recordingKey ?? null },
				{ transcriptTriedAt },
			);
			await run();
			const entered = await rowOf(refused.sessionGuid);
			assert.ok(entered.transcribedAt);
			assert.equal(entered.transcriptError, undefined);
		});
	});
}
