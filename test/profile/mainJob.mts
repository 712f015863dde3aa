/** The main job with a service that answers as its profile shows. */
import { createEmulator } from '../../emulator/src/index.mts';
import type { Engine } from '../../harness/engine/engine.mts';
import type { Credential, Execution } from '../../harness/n8n/n8n.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { until } from '../../harness/until.mts';
import {
	accountData,
	PASSWORD,
	WEBHOOK_HEADER,
	WEBHOOK_SECRET,
} from '../../harness/serviceAccess.mts';

export interface Profile {
	settings?: Record<string, string | number | boolean>;
	notes?: string[];
}

export interface Step {
	name: string;
	works: boolean;
	/** What came of it, or why it does not work. */
	said: string;
}

const SECONDS = 3;

/** Runs each part of the job once, with the settings that the profile proposes. */
export async function mainJob(engine: Engine, profile: Profile): Promise<Step[]> {
	const emulator = await createEmulator({ profile, callSpeed: 100 });
	try {
		return await stepsOf(engine, emulator, profile);
	} finally {
		await emulator.close();
	}
}

async function stepsOf(
	engine: Engine,
	emulator: Awaited<ReturnType<typeof createEmulator>>,
	{ settings = {} }: Profile,
): Promise<Step[]> {
	const { control } = emulator;
	const data = { ...accountData(emulator.url), ...settings, webhookVerification: 'sharedSecret' };
	const account = { ...data, headerName: WEBHOOK_HEADER };
	const credential = { name: 'Profile', type: 'voiceAgentApi', data: account };
	const voiceAgentApi = await engine.n8n.createCredential(credential);
	const recordings = [];
	for (const hours of [3, 2, 1]) {
		const endedAt = new Date(control.now() - hours * 3_600_000).toISOString();
		const call = { endedAt, to: '+15550100', from: '+15550101', durationSeconds: SECONDS };
		const isEncrypted = hours === 2;
		recordings.push(
			await control.addRecording({ ...call, ...(isEncrypted && { password: PASSWORD }) }),
		);
	}
	const run = async (resource: string, operation: string, more: object, guid = '') =>
		await engine.runNode({
			parameters: { resource, operation, ...more },
			items: [{ sessionGuid: guid }],
			credentials: { voiceAgentApi },
		});
	const steps: Step[] = [];
	const listed = await run('recording', 'getMany', { returnAll: true });
	const guids = listed.items(NODE).map(({ json }) => json.sessionGuid);
	const isComplete = recordings.every(({ sessionGuid }) => guids.includes(sessionGuid));
	const warned = listed.hints(NODE).length > 0;
	steps.push(
		stepOf('Recording: Get Many', listed, isComplete && !warned, `${guids.length} listed`),
	);

	for (const { sessionGuid, plainSha256, encrypted } of recordings.slice(0, 2)) {
		const of = encrypted ? 'encrypted' : 'plain';
		const downloaded = await run('recording', 'download', { recording: byGuid() }, sessionGuid);
		const isSame = downloaded.items(NODE)[0]?.json.sha256 === plainSha256;
		steps.push(stepOf(`Recording: Download (${of})`, downloaded, isSame, 'the same bytes'));
	}
	const [{ sessionGuid = '' } = {}] = recordings;
	const more = { recording: byGuid(), requireProof: false };
	const deleted = await run('recording', 'delete', more, sessionGuid);
	const isGone = control
		.recordings()
		.some((one) => one.sessionGuid === sessionGuid && one.state === 'deleted');
	const saysSo = deleted.items(NODE)[0]?.json.deleted === true;
	steps.push(stepOf('Recording: Delete', deleted, isGone && saysSo, 'deleted'));

	const call = await run('call', 'make', { specifyBody: 'json', jsonBody: '{"to":"+15550123"}' });
	steps.push(stepOf('Call: Make', call, control.calls().length === 1, 'placed'));
	steps.push(await callEndStep(engine, emulator, voiceAgentApi, recordings[2]?.sessionGuid ?? ''));
	return steps;
}

function stepOf(name: string, execution: Execution, isRight: boolean, said: string): Step {
	const error = execution.nodeError(NODE);
	const works = error === undefined && isRight;
	if (works) return { name, works, said };
	const why = error ? `${error.message}. ${error.description ?? ''}` : `not as expected: ${said}`;
	return { name, works, said: why };
}

async function callEndStep(
	engine: Engine,
	{ control }: Awaited<ReturnType<typeof createEmulator>>,
	voiceAgentApi: Credential,
	sessionGuid: string,
): Promise<Step> {
	const name = 'VoiceAgent Trigger: Call End';
	const parameters = { event: 'callEnd' };
	const webhook = await engine.listen({ parameters, credentials: { voiceAgentApi } });
	try {
		const secret = { in: 'header', name: WEBHOOK_HEADER, value: WEBHOOK_SECRET } as const;
		control.setWebhookDelivery({ secret });
		control.setWebhooks({ callEnd: webhook.url });
		const { status, replyBody } = await control.sendCallEnd(sessionGuid);
		const isReceived = status === 200 && !String(replyBody).includes('"reason"');
		// The reply comes before the workflow starts. The call of the step before may end now, too.
		const isOfCall = ({ json }: { json: Record<string, unknown> }) =>
			json.sessionGuid === sessionGuid;
		const works = isReceived && !!(await until(() => webhook.started.flat().find(isOfCall)));
		return { name, works, said: works ? 'starts the workflow' : `${status}: ${replyBody}` };
	} finally {
		await webhook.close();
	}
}
