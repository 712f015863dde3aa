/** An archive workflow with several triggers: of several accounts, or of a secret that changes. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';

import { keyOf, rowOf } from '../../../harness/ledger.mts';
import { nodeOf } from '../../../harness/workflows.mts';
import { CALL_END, sendCallEndsTo } from '../archived.mts';
import { succeeded, type Host } from '../suite.mts';
import { sweepWithLedger } from './sweepWithLedger.mts';

const OTHER = 'When a call ends, with the new secret';

export function triggersSuite(getHost: () => Host): void {
	suite('an archive workflow with several triggers', { concurrency: 1 }, () => {
		const { ledger, setup } = sweepWithLedger(getHost, {
			archive(workflow) {
				const first = nodeOf(workflow, CALL_END);
				const position = [0, -200];
				workflow.nodes.push({ ...first, name: OTHER, id: randomUUID(), position });
				const { [CALL_END]: next } = workflow.connections as Record<string, unknown>;
				Object.assign(workflow.connections, { [OTHER]: next });
			},
		});

		test('notes the calls of each trigger, and those of a sweep, in one ledger', async () => {
			const { n8n, emulator, archiveId } = setup;
			const { control } = emulator;
			const numbers = { to: '+15550100', from: '+15550199' };
			const archived: string[] = [];
			await sendCallEndsTo(setup, archiveId);
			const first = await control.addRecording({ sessionGuid: `{${randomUUID().toUpperCase()}}` });
			await control.sendCallEnd(first.sessionGuid);
			archived.push(first.sessionGuid);
			control.setWebhooks({ callEnd: await n8n.webhookUrl(archiveId, OTHER) });
			const second = await control.addRecording(numbers);
			await control.sendCallEnd(second.sessionGuid);
			archived.push(second.sessionGuid);
			for (const sessionGuid of archived) await rowOf(ledger, sessionGuid, isArchived);
			const swept = await setup.waiting(1);
			succeeded((await setup.sweep(1))[0]);
			archived.push(swept);

			for (const sessionGuid of archived) {
				const row = await rowOf(ledger, sessionGuid, isArchived);
				const { plainSha256, plainBytes, endedAt } = setup.ledger(sessionGuid);
				assert.partialDeepStrictEqual(row, {
					...{ recordingKey: keyOf(sessionGuid), sessionGuid, status: 'archived', endedAt },
					...{ archive: 'Folder', sha256: plainSha256, bytes: plainBytes },
					...{ deleted: true, kept: false },
				});
				assert.equal(setup.ledger(sessionGuid).state, 'deleted');
			}
			assert.partialDeepStrictEqual(await rowOf(ledger, second.sessionGuid), numbers);
		});
	});
}

const isArchived = ({ archivedAt }: { archivedAt?: unknown }) => Boolean(archivedAt);
