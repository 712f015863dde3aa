/** Call Start webhooks that the trigger answers itself. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { failing } from '../../../harness/flow.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import {
	assertBeforeEnd,
	assertInstructions,
	emptyPassword,
	publish,
	slow,
	TRIGGER,
	withPassword,
} from './callStarts.mts';

/** @param log what n8n has printed so far */
export function respondAtOnceSuite(getStack: () => Stack, log: () => string): void {
	suite('Call Start, Respond: Immediately', { concurrency: 1 }, () => {
		const encrypts = { recordCall: true, encryptRecording: true };

		test('answers with the fields, whose expressions read the payload', async () => {
			const workflow = await publish(getStack(), {
				recordCall: '={{ $json.body.to.startsWith("+49") }}',
				moreInstructions: '={ "maxSeconds": {{ $json.body.limit }}, "language": "en" }',
			});
			const more = { maxSeconds: 30, language: 'en' };
			const recorded = { recordCall: true, recordCallFormat: 'opus' };
			const german = await workflow.call({ to: '+49301234', limit: 30 });
			assertInstructions(german, { ...more, ...recorded });
			const other = await workflow.call({ to: '+15550100', limit: 30 });
			assertInstructions(other, { ...more, recordCall: false });
		});

		test('answers before the workflow runs, whatever its result, and not without the secret', async () => {
			const workflow = await publish(getStack(), { recordCall: true }, [slow(), failing('broken')]);
			const forged = await fetch(workflow.url, { method: 'POST', body: '{}' });
			assert.equal(forged.status, 401);
			const answer = await workflow.call();
			assertInstructions(answer, { recordCall: true, recordCallFormat: 'opus' });
			const execution = await workflow.execution();
			assertBeforeEnd(answer, execution);
			assert.equal(execution.status, 'error');
		});

		test('the service records a call with the password, and Download decrypts it', async (t) => {
			const workflow = await publish(getStack(), { ...encrypts, recordCallFormat: 'wav' });
			const service = await addService(getStack().n8n);
			t.after(async () => await service.stop());
			const { control } = service.emulator;
			control.setWebhooks({ callStart: workflow.url });
			const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 2 });
			await control.completedCall(sessionGuid);
			const entry = control.recordings().find((one) => one.sessionGuid === sessionGuid);
			assert.deepEqual([entry?.format, entry?.encrypted], ['wav', true]);
			const download = await service.runNode({
				parameters: { resource: 'recording', operation: 'download', decrypt: 'automatic' },
				items: [{ sessionGuid }],
			});
			assert.equal(download.items('VoiceAgent')[0]?.json.sha256, entry?.plainSha256);
		});

		test('a password that was emptied afterwards: no recording, and the reason in the item', async () => {
			const own = await withPassword(getStack(), 'for a moment');
			const workflow = await publish(getStack(), encrypts, [], own);
			await emptyPassword(getStack(), own);
			assertInstructions(await workflow.call(), { recordCall: false });
			const { problem } = (await workflow.execution()).items(TRIGGER)[0]?.json ?? {};
			assert.match(String(problem), /'Password'.*is empty/);
			assert.match(log(), /The call is not recorded: .*'Password'.*is empty/);
		});
	});
}
