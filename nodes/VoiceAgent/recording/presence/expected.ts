import type { IDataObject, IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { VoiceAgentError } from '../../../errors';
import { recordedSign, type RecordedSign } from '../../../service/recordedSign';
import { findCallEnd } from '../../../service/retention';
import { isGone } from './availability';
import { wasDownloaded } from './downloaded';

const HOUR_MS = 60 * 60_000;
/**
 * From then on, a sweep may have archived a recording and deleted it: the Minimum Age of the
 * Recording Trigger, unless the user changes it.
 */
const SWEPT_AFTER_MS = HOUR_MS;

type Hint = Pick<NodeExecutionHint, 'type' | 'message'>;

/** What the user is told, or the failure that it is. */
export type Explanation = { hint: Hint } | { hint?: undefined; failure: unknown };

/**
 * What an input item of Download says about its recording, and what follows if the service denies
 * it. The list of the service is asked before: it proves that a call was recorded.
 */
export class ExpectedRecording {
	readonly #sign: RecordedSign | undefined;
	#wasDownloaded: Promise<boolean> | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly sessionGuid: string,
		private readonly item: IDataObject,
	) {
		this.#sign = this.#isCallEnd ? recordedSign(item.payload) : undefined;
	}

	/**
	 * Whether to wait for the recording: not if its call was not recorded, nor if it was here before.
	 */
	async isWorthWaiting(): Promise<boolean> {
		if (!this.#isCallEnd) return true;
		return this.#sign?.recorded !== false && !(await this.#wasHere());
	}

	/** What a download that has failed means. */
	async explain(failure: unknown): Promise<Explanation> {
		if (this.#sign?.recorded === false && (isGone(failure) || isUnclear(failure))) {
			const because = `'${this.#sign.field}' in the payload says that the call was not recorded`;
			return this.#quiet('info', `The service has none, and ${because}`);
		}
		if (!isGone(failure)) return { failure };
		const { event } = this.item;
		if (event === 'recordingLost') return { failure: againAs('recordingLost', failure) };
		if (event === 'recordingWaiting') return await this.#explainListed(failure);
		return this.#isCallEnd ? await this.#explainCallEnd(failure) : { failure };
	}

	/** The Recording Trigger has found it in the list. */
	async #explainListed(failure: VoiceAgentError): Promise<Explanation> {
		const isLost = this.#isPurged && !(await this.#wasHere());
		if (isLost) return { failure: againAs('recordingLost', failure) };
		return this.#quiet('info', 'The service has listed it, and it was deleted since then');
	}

	async #explainCallEnd(failure: VoiceAgentError): Promise<Explanation> {
		if (await this.#wasHere()) {
			const before = 'This node has downloaded it before';
			return this.#quiet('info', `${before}, and it was deleted since then`);
		}
		if (this.#mayBeSwept) {
			const archived = 'another execution may have archived and deleted it';
			return this.#quiet('warning', `The call ended more than an hour ago, so ${archived}`);
		}
		if (this.#sign) {
			const detail = `'${this.#sign.field}' in the payload says that the call was recorded`;
			return { failure: againAs('recordingNotReady', failure, detail) };
		}
		const unsaid = 'The service has none, and the payload does not say whether there will be one';
		const late = 'If it comes, a VoiceAgent Recording Trigger archives it';
		return this.#quiet('warning', `${unsaid}. ${late}`);
	}

	get #isCallEnd(): boolean {
		return this.item.event === 'callEnd';
	}

	get #mayBeSwept(): boolean {
		const nowMs = Date.now();
		const endMs = findCallEnd(this.item, nowMs) ?? nowMs;
		return nowMs - endMs > SWEPT_AFTER_MS;
	}

	/** Whether its retention is over, by the clock of the service or by ours. */
	get #isPurged(): boolean {
		const { keptUntil, hoursLeft } = this.item;
		if (typeof keptUntil !== 'string') return false;
		const hoursByOurClock = (Date.parse(keptUntil) - Date.now()) / HOUR_MS;
		return Math.min(Number(hoursLeft), hoursByOurClock) < 1;
	}

	async #wasHere(): Promise<boolean> {
		this.#wasDownloaded ??= wasDownloaded(this.context, this.sessionGuid);
		return await this.#wasDownloaded;
	}

	#quiet(type: Hint['type'], why: string): Explanation {
		return { hint: { type, message: `No recording of ${this.sessionGuid} was output. ${why}.` } };
	}
}

/** Whether the service denies a recording, and no list shows whether that is so. */
function isUnclear(error: unknown): boolean {
	return error instanceof VoiceAgentError && error.reason === 'maybeGone';
}

function againAs(
	reason: 'recordingLost' | 'recordingNotReady',
	{ httpStatus, hint }: VoiceAgentError,
	detail?: string,
): VoiceAgentError {
	return new VoiceAgentError(reason, { httpStatus, hint, detail });
}
