/** Faults that a test orders from the stand-in for an archive. */

/** `Step` names the requests that can go wrong; `upload` is one of them for every archive. */
export type ArchiveFault<Step extends string> = {
	/** How many requests it strikes; 1 by default. */
	times?: number;
} & (
	| { on: Step; kind: 'status'; status: number }
	/** The request is answered late. */
	| { on: Step; kind: 'delay'; ms: number }
	/** The request takes effect, and the connection ends before the answer. */
	| { on: Step; kind: 'loseAnswer' }
	/** The request takes effect, and is never answered. */
	| { on: Step; kind: 'silent' }
	/** The request takes effect, and is answered with this status. */
	| { on: 'upload'; kind: 'storeAndRefuse'; status: number }
	/** What is stored differs from what was sent: one bit of it, or the second half is missing. */
	| { on: 'upload'; kind: 'corrupt' | 'truncate' }
);

/** Ordered faults, each used up by the requests that it strikes. */
export class FaultList<Step extends string> {
	readonly #faults: (ArchiveFault<Step> & { times: number })[] = [];

	add(fault: ArchiveFault<Step>): void {
		this.#faults.push({ ...fault, times: fault.times ?? 1 });
	}

	/** The oldest fault that is left for such a request. This uses it up once. */
	take(step: Step | 'upload'): ArchiveFault<Step> | undefined {
		const fault = this.#faults.find(({ on }) => on === step);
		if (fault === undefined) return undefined;
		fault.times -= 1;
		if (fault.times === 0) this.#faults.splice(this.#faults.indexOf(fault), 1);
		return fault;
	}
}

/** What an archive stores in place of `content`. */
export function damaged(content: Buffer, kind: string | undefined): Buffer {
	if (kind === 'truncate') return content.subarray(0, Math.floor(content.length / 2));
	if (kind !== 'corrupt' || content.length === 0) return content;
	const copy = Buffer.from(content);
	const middle = Math.floor(copy.length / 2);
	copy.writeUInt8(copy.readUInt8(middle) ^ 1, middle);
	return copy;
}
