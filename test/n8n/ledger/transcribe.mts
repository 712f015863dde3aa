/** transcribe-and-file: transcripts beside recordings that the archive workflows have stored. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import type { Execution, Row, Workflow } from '../../../harness/n8n/n8n.mts';
import { rowOf as rowIn } from '../../../harness/ledger.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import {
	folderArchive,
	googleDriveArchive,
	s3Archive,
	sftpArchive,
	type Archive,
} from '../../../harness/standIns/archives.mts';
import { startOpenAi, type Audio } from '../../../harness/standIns/openAi.mts';
import { missingOpenSsh } from '../../../harness/standIns/sftp.mts';
import { nodeOf, readWorkflow, withLedger, withSettings } from '../../../harness/workflows.mts';
import { CALL_END as TRIGGER, publishArchive, sendCallEndsTo } from '../archived.mts';
import { ledgerOf, serviceOf, shared, succeeded } from '../suite.mts';
import type { ArchiveHost } from './store.mts';

const HOUR = 3_600_000;
const SAID = { text: ' Guten Tag, ich möchte den Termin verschieben. ', language: 'german' };
const SUMMARY = {
	who: 'Frau Müller',
	wanted: 'den Termin verschieben',
	agreed: 'Dienstag, 10 Uhr',
	nextStep: 'Die Praxis schickt eine Bestätigung',
	language: 'de',
};

export function transcribeSuite(getHost: () => ArchiveHost): void {
	suite('workflow: transcribe-and-file', { concurrency: 1, skip: missingOpenSsh() }, () => {
		const stack = serviceOf(() => getHost().n8n);
		const ledger = ledgerOf(() => getHost().n8n);
		const archives = new Map<string, { archive: Archive; workflowId: string }>();
		let transcribe: (audio: Audio) => number | { text: string; language: string; duration: number };
		let summarize: () => string;
		const models = {
			chat: () => ({ content: summarize() }),
			transcribe: (audio: Audio) => transcribe(audio),
		};
		const provider = shared(async () => await startOpenAi(models));
		before(async () => {
			const { n8n, folder, drive } = getHost();
			const openAiApi = await n8n.createCredential(provider.credential);
			Object.assign(stack.credentials, { openAiApi });
			for (const [name, archive] of [
				['Google Drive', await googleDriveArchive(drive)],
				['S3', await s3Archive()],
				['Folder', await folderArchive(folder)],
				['SFTP', await sftpArchive()],
			] as const) {
				const workflow = withLedger(archive.configured());
				const workflowId = await publishArchive(stack, workflow, archive.credentials);
				archives.set(name, { archive, workflowId });
			}
		});
		const itWorks = () => {
			transcribe = () => ({ ...SAID, duration: 12.5 });
			summarize = () => JSON.stringify(SUMMARY);
		};
		beforeEach(() => {
			itWorks();
			provider.audio.length = 0;
			provider.requests.length = 0;
		});
		after(async () => {
			for (const [name, { archive, workflowId }] of archives) {
				await stack.n8n.deactivate(workflowId);
				if (name !== 'Google Drive') await archive.close();
			}
		});

		/** Lets a workflow archive a recording, and returns what it has entered in the ledger. */
		async function archived(name: string, recording: object): Promise<Row> {
			const { workflowId } = archives.get(name) ?? assert.fail(name);
			const { control } = stack.emulator;
			await sendCallEndsTo(stack, workflowId);
			const { sessionGuid, plainBytes, plainSha256 } = await control.addRecording(recording);
			await control.sendCallEnd(sessionGuid);
			const query = { workflowId, trigger: TRIGGER, sessionGuid, count: 1 };
			succeeded((await executionsFor(stack.n8n, query))[0]);
			const row = await rowOf(sessionGuid);
			assert.deepEqual(
				[row.archive, row.bytes, row.sha256, row.kept],
				[name, plainBytes, plainSha256, false],
			);
			for (const time of [row.endedAt, row.archivedAt, row.deletedAt]) {
				assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 120_000, String(time));
			}
			return row;
		}

		const rowOf = async (sessionGuid: unknown) => await rowIn(ledger, String(sessionGuid));

		async function run(settings: Record<string, string | number> = {}): Promise<Execution> {
			const workflow = withSettings(readWorkflow('transcribe-and-file'), {
				provider: `${provider.url}/`,
				...settings,
			});
			for (const name of ['Transcribe the recording', 'Sum up the call']) {
				nodeOf(workflow, name).credentials = { openAiApi: {} };
			}
			const s3Workflow = archives.get('S3')?.archive.configured() as Workflow;
			const s3Url = nodeOf(s3Workflow, 'Upload recording to S3').parameters.url;
			for (const name of ['Download the recording from S3', 'Upload the transcript to S3']) {
				const { parameters } = nodeOf(workflow, name);
				parameters.url = String(s3Url).replace('fileName', 'file');
			}
			const id = await stack.n8n.importWorkflow(workflow, stack.credentials);
			return await stack.n8n.run(id, { trigger: 'Every 15 minutes' });
		}

		const files = async (name: string) => (await archives.get(name)?.archive.files()) ?? [];
		const baseOf = (file: unknown) => String(file).split('/').at(-1) ?? '';
		const contentOf = async (archive: unknown, name: string) =>
			(await files(String(archive))).find((one) => one.name === name)?.content;
		const transcriptOf = async ({ archive, file }: Row, extension: string) =>
			await contentOf(archive, baseOf(file).replace(/\.\w+$/, `.transcript.${extension}`));

		test('without a provider, nothing is read and nothing is sent', async () => {
			const before = await archived('Folder', { format: 'opus' });
			const execution = succeeded(await run({ provider: '' }));
			assert.equal(execution.nodes.at(-1), 'Go on if a provider is chosen');
			assert.deepEqual([provider.audio, provider.requests], [[], []]);
			assert.deepEqual(await rowOf(before.sessionGuid), before);
		});

		test('a transcript and a summary are stored beside the recording, in every archive', async () => {
			const rows = [
				await archived('Google Drive', { format: 'opus' }),
				await archived('S3', { format: 'mp3', password: PASSWORD }),
				await archived('SFTP', { format: 'wav' }),
				...(await ledger.rows()).filter(({ archive }) => archive === 'Folder'),
			];
			const recordings = await Promise.all(
				rows.map((row) => contentOf(row.archive, baseOf(row.file))),
			);
			succeeded(await run());
			assert.deepEqual(provider.audio.map(({ name }) => name).sort(), [
				'recording.mp3',
				'recording.ogg',
				'recording.ogg',
				'recording.wav',
			]);
			for (const [index, row] of rows.entries()) {
				const recording = recordings[index];
				assert.ok(recording && provider.audio.some(({ content }) => content.equals(recording)));
				const json = JSON.parse(String(await transcriptOf(row, 'json'))) as Record<string, unknown>;
				const { language, ...summary } = SUMMARY;
				assert.ok(language);
				assert.equal(json.sessionGuid, row.sessionGuid);
				assert.equal(json.recording, row.file);
				assert.equal(json.language, SAID.language);
				assert.equal(json.seconds, 12.5);
				assert.deepEqual(json.summary, summary);
				assert.equal(json.text, SAID.text.trim());
				const text = String(await transcriptOf(row, 'txt'));
				for (const part of [...Object.values(summary), SAID.text.trim(), SAID.language]) {
					assert.ok(text.includes(part), part);
				}
				// The recording and its metadata are what they were.
				assert.ok((await contentOf(row.archive, baseOf(row.file)))?.equals(recording));
				const entered = await rowOf(row.sessionGuid);
				assert.ok(entered.transcribedAt, JSON.stringify(entered));
				assert.equal(
					baseOf(entered.transcript),
					baseOf(row.file).replace(/\.\w+$/, '.transcript.txt'),
				);
				assert.equal(entered.language, SAID.language);
				assert.match(String(entered.summary), /Wanted: den Termin verschieben/);
				assert.equal(entered.transcriptError, undefined);
				for (const column of ['file', 'sha256', 'bytes', 'archivedAt', 'deletedAt']) {
					assert.equal(entered[column], row[column], column);
				}
			}
			assert.match(JSON.stringify(provider.requests[0]), /Guten Tag/);

			// Nothing is transcribed twice.
			succeeded(await run());
			assert.equal(provider.audio.length, 4);
		});

		const failures: Array<[string, () => void, RegExp]> = [
			['the provider fails', () => (transcribe = () => 500), /not able to process/],
			['the summary is not one', () => (summarize = () => 'I cannot do that.'), /not valid JSON/],
			['the summary is empty', () => (summarize = () => '{}'), /does not say what was wanted/],
		];
		for (const [name, fail, reason] of failures) {
			test(`if ${name}, the archive stays as it is, and a later execution catches up`, async () => {
				const row = await archived('Folder', { format: 'opus' });
				const before = await files('Folder');
				fail();
				const failed = await run();
				assert.equal(failed.status, 'error');
				assert.match(String(failed.error?.message), reason);
				assert.ok(String(failed.error?.message).includes(String(row.file)));
				assert.match(String((await rowOf(row.sessionGuid)).transcriptError), reason);
				assert.deepEqual(await files('Folder'), before);

				const sent = provider.audio.length;
				succeeded(await run());
				assert.equal(provider.audio.length, sent, 'tried again at once');

				itWorks();
				await tryAgain(row);
				succeeded(await run());
				const entered = await rowOf(row.sessionGuid);
				assert.ok(entered.transcribedAt);
				assert.equal(entered.transcriptError, undefined);
			});
		}

		/** Lets two hours pass for a recording. */
		async function tryAgain({ sessionGuid }: Row): Promise<void> {
			const transcriptTriedAt = new Date(Date.now() - 2 * HOUR).toISOString();
			await ledger.update(
				{ column: 'sessionGuid', value: String(sessionGuid) },
				{ transcriptTriedAt },
			);
		}

		test('what cannot be sent keeps nobody waiting, and the ledger says why', async () => {
			const good = await archived('Folder', { format: 'opus' });
			const long = await archived('Folder', { format: 'wav', sizeBytes: 130_000 });
			const missing = `${String(good.file)}.gone.opus`;
			for (const [archive, file] of [
				['Folder', missing],
				['Tape', missing],
				['Folder', 'call.amr'],
			] as const) {
				const row = { archive, file, bytes: 7, archivedAt: new Date().toISOString() };
				await ledger.insert({ sessionGuid: randomUUID(), ...row });
			}
			const execution = await run({ maxMegabytes: 0.1 });
			const reason = /1 MB: a provider takes no wav of this length/;
			assert.match(String(execution.error?.message), reason);
			assert.match(String((await rowOf(long.sessionGuid)).transcriptError), reason);
			assert.equal(provider.audio.length, 1);
			assert.ok((await rowOf(good.sessionGuid)).transcribedAt);
			const failed = (await ledger.rows()).filter(
				({ transcriptError }) => transcriptError !== null,
			);
			assert.equal(failed.length, 4);
		});
	});
}
