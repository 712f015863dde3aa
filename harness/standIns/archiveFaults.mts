/** Faults that a test orders from the stand-in for an archive. */

/**
 * A fault of one request. `Step` names the requests that can go wrong: every archive has `upload`.
 */
export type ArchiveFault<Step extends string> =
	| { on: Step; kind: 'status'; status: number }
	/** The request takes effect, and the connection ends before the answer. */
	| { on: Step; kind: 'loseAnswer' }
	/** The request takes effect, and is never answered. */
	| { on: Step; kind: 'silent' }
	/** What is stored differs from what was sent: one bit of it, or the second half is missing. */
	| { on: 'upload'; kind: 'corrupt' | 'truncate' };

/** Ordered faults, each used up by the request that it strikes. */
export class FaultList<Step extends string> {
	readonly left: ArchiveFault<Step>[];

	constructor(faults: ArchiveFault<Step>[] = []) {
		this.left = faults;
	}

	add(fault: ArchiveFault<Step>): void {
		this.left.push(fault);
	}

	/** The oldest fault that is left for such a request. This uses it up. */
	take(step: Step | 'upload'): ArchiveFault<Step> | undefined {
		const index = this.left.findIndex(({ on }) => on === step);
		return index < 0 ? undefined : this.left.splice(index, 1)[0];
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
