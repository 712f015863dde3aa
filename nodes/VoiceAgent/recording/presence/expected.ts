import type { IDataObject, IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { VoiceAgentError } from '../../../errors';
import { recordedSign, type RecordedSign } from '../../../service/recordedSign';
import { findCallEnd, RETENTION_MS } from '../../../service/retention';
import { isGone } from './availability';
import { isDone } from './done';
import { wasDownloaded } from './downloaded';

const HOUR_MS = 60 * 60_000;
/**
 * From then on, a sweep may have archived a recording and deleted it: the Minimum Age of the
 * Recording Trigger, unless the user changes it.
 */
const SWEPT_AFTER_MS = HOUR_MS;

/** What the items of our triggers say in `event`. Any other item was made by somebody else. */
const REPORTED: readonly unknown[] = ['callEnd', 'recordingWaiting', 'recordingLost'];

type Hint = Pick<NodeExecutionHint, 'type' | 'message'>;

/** What the user is told, or the failure that it is. */
export type Explanation = { hint: Hint } | { hint?: undefined; failure: unknown };

/**
 * What an input item of Download says about its recording, and what follows if the service denies
 * it. The list of the service is asked before: it proves that a call was recorded.
 */
export class ExpectedRecording {
	readonly #sign: RecordedSign | undefined;
	#wasHereBefore: Promise<boolean> | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
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
		const { event } = this.item;
		if (!isGone(failure) || !REPORTED.includes(event)) return { failure };
		if (await isDone(this.context, this.itemIndex, this.sessionGuid)) {
			return this.#quiet('info', 'It was archived or deleted before, by one of your workflows');
		}
		if (event === 'recordingLost') return lost(failure);
		// Downloaded is not archived: the execution may have failed after that.
		if (await this.#wasHere()) return lost(failure, 'this node has downloaded it before');
		return this.#isCallEnd ? this.#explainCallEnd(failure) : this.#explainListed(failure);
	}

	/** The Recording Trigger has found it in the list. */
	#explainListed(failure: VoiceAgentError): Explanation {
		const { keptUntil, hoursLeft } = this.item;
		if (typeof keptUntil !== 'string') return lost(failure, 'its retention may have ended');
		// By the clock of the service or by ours.
		const hoursByOurClock = (Date.parse(keptUntil) - Date.now()) / HOUR_MS;
		if (Math.min(Number(hoursLeft), hoursByOurClock) < 1) return lost(failure);
		return this.#quiet('info', 'The service has listed it, and it was deleted since then');
	}

	#explainCallEnd(failure: VoiceAgentError): Explanation {
		const ageMs = this.#ageMs;
		const isRecorded = this.#sign !== undefined;
		if (isRecorded && ageMs > RETENTION_MS) return lost(failure);
		if (ageMs > SWEPT_AFTER_MS) {
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

	/** How long ago the call ended, in milliseconds; 0 if the payload does not say when. */
	get #ageMs(): number {
		const nowMs = Date.now();
		return nowMs - (findCallEnd(this.item, nowMs) ?? nowMs);
	}

	/** Whether this node has downloaded it before. */
	async #wasHere(): Promise<boolean> {
		this.#wasHereBefore ??= wasDownloaded(this.context, this.sessionGuid);
		return await this.#wasHereBefore;
	}

	#quiet(type: Hint['type'], why: string): Explanation {
		return { hint: { type, message: `No recording of ${this.sessionGuid} was output. ${why}.` } };
	}
}

/** Whether the service denies a recording, and no list shows whether that is so. */
function isUnclear(error: unknown): boolean {
	return error instanceof VoiceAgentError && error.reason === 'maybeGone';
}

function lost(failure: VoiceAgentError, detail?: string): Explanation {
	return { failure: againAs('recordingLost', failure, detail) };
}

function againAs(
	reason: 'recordingLost' | 'recordingNotReady',
	{ httpStatus, hint }: VoiceAgentError,
	detail?: string,
): VoiceAgentError {
	return new VoiceAgentError(reason, { httpStatus, hint, detail });
}
