import { Type } from 'typebox';
import { Call, CallSettings, DefaultInstructions, MakeCallRequest } from '../../calls/schemas.mts';
import { type OutcomeRule, OutcomeRules } from '../../calls/outcomes.mts';
import { ref, SessionGuidParams } from '../../schema.mts';
import { control } from '../row.mts';

const ofCall = (sessionGuid: string) => ({ params: { sessionGuid } });

export const callControls = {
	/**
	 * Sets the instructions for calls while no CallStart target is set. The emulator judges them when
	 * a call starts, so you can try wrong ones.
	 */
	setDefaultInstructions: control({
		method: 'PUT',
		path: '/default-instructions',
		summary: 'Set the Service_Instructions for calls without a CallStart target',
		body: DefaultInstructions,
		args: (instructions: Record<string, unknown> | null) => ({ body: { instructions } }),
		run: ({ calls }, { body }) =>
			calls.setDefaultInstructions(body.instructions && { ...body.instructions }),
	}),
	/** Milliseconds from CallEnd to the stored recording. */
	recordingDelay: control({
		method: 'GET',
		path: '/call-settings',
		summary: 'Settings of calls',
		reply: ref(CallSettings),
		run: ({ calls }) => calls.recordingDelay(),
		toReply: (recordingDelayMs) => ({ recordingDelayMs }),
	}),
	/** Sets the milliseconds from CallEnd to the stored recording, for calls that end from now on. */
	setRecordingDelay: control({
		method: 'PUT',
		path: '/call-settings',
		summary: 'Set how late recordings are stored',
		body: CallSettings,
		reply: ref(CallSettings),
		args: (recordingDelayMs: number) => ({ body: { recordingDelayMs } }),
		run({ calls }, { body: { recordingDelayMs } }) {
			if (recordingDelayMs !== undefined) calls.setRecordingDelay(recordingDelayMs);
			return calls.recordingDelay();
		},
		toReply: (recordingDelayMs) => ({ recordingDelayMs }),
	}),
	outcomes: control({
		method: 'GET',
		path: '/outcomes',
		summary: 'How calls go, by number',
		reply: ref(OutcomeRules),
		run: ({ calls }) => calls.outcomes(),
		toReply: (outcomes) => ({ outcomes }),
	}),
	/** Sets how calls go that are placed from now on. The first rule that fits counts. */
	setOutcomes: control({
		method: 'PUT',
		path: '/outcomes',
		summary: 'Set how calls go, by number: answered, voicemail, busy, noAnswer',
		body: OutcomeRules,
		reply: ref(OutcomeRules),
		args: (outcomes: readonly OutcomeRule[]) => ({ body: { outcomes: [...outcomes] } }),
		run({ calls }, { body: { outcomes } }) {
			calls.setOutcomes(outcomes);
			return calls.outcomes();
		},
		toReply: (outcomes) => ({ outcomes }),
	}),
	/** Every call, oldest first. */
	calls: control({
		method: 'GET',
		path: '/calls',
		summary: 'Every call, oldest first',
		reply: Type.Array(ref(Call)),
		run: ({ calls }) => calls.all(),
	}),
	/** Places a call without an API key. */
	placeCall: control({
		method: 'POST',
		path: '/calls',
		summary: 'Place a call without an API key',
		body: MakeCallRequest,
		reply: ref(Call),
		args: (request: MakeCallRequest) => ({ body: request }),
		run: ({ calls }, { body }) => calls.place(body),
	}),
	/** @throws ServiceError 404 for an unknown call */
	call: control({
		method: 'GET',
		path: '/calls/:sessionGuid',
		summary: 'State of one call, and what was understood of its instructions',
		params: SessionGuidParams,
		reply: ref(Call),
		args: ofCall,
		run: ({ calls }, { params }) => calls.get(params.sessionGuid),
	}),
	/** Hangs up and resolves when the call's life is over. */
	endCall: control({
		method: 'POST',
		path: '/calls/:sessionGuid/end',
		summary: 'Hang up; answers when the call is over and CallEnd was sent',
		params: SessionGuidParams,
		reply: ref(Call),
		args: ofCall,
		run: async ({ calls }, { params }) => calls.end(params.sessionGuid),
	}),
	/** Resolves when the call's life is over: recording stored, CallEnd delivered or given up. */
	completedCall: control({
		method: 'GET',
		path: '/calls/:sessionGuid/completed',
		summary: 'Wait until the call is over and CallEnd was sent',
		params: SessionGuidParams,
		reply: ref(Call),
		args: ofCall,
		run: async ({ calls }, { params }) => calls.completed(params.sessionGuid),
	}),
};
