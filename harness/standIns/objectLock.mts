/** Adds Object Lock to the S3 stand-in: each upload is a version, and a locked one stays. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The parts used here of the server's package, which has no types. */
export interface Context {
	method: string;
	path: string;
	query: Record<string, string | undefined>;
	set(headers: Record<string, string>): void;
	status: number;
	type: string;
	body: unknown;
	respond: boolean;
	req: IncomingMessage;
}

interface Version {
	id: string;
	/** `undefined` for a delete marker, which hides the older versions. */
	content?: Buffer;
	hasLegalHold: boolean;
	/** In milliseconds. */
	retainUntil: number;
}

const DAY = 24 * 3_600_000;
const LOCK = 'x-amz-object-lock-';

export class ObjectLock {
	/** By path, the oldest first. */
	readonly #versions = new Map<string, Version[]>();
	readonly #defaultDays: number;
	readonly #contentOf: (path: string) => Promise<Buffer>;

	/** @param defaultDays for how long the bucket retains an upload that has no date of its own */
	constructor(defaultDays: number, contentOf: (path: string) => Promise<Buffer>) {
		this.#defaultDays = defaultDays;
		this.#contentOf = contentOf;
	}

	/** The versions of an object, without delete markers. */
	of(path: string): Version[] {
		return (this.#versions.get(path) ?? []).filter(({ content }) => content);
	}

	readonly handle = async (context: Context, next: () => Promise<void>): Promise<void> => {
		const path = decodeURIComponent(context.path);
		const versions = this.#versions.get(path) ?? [];
		const { versionId } = context.query;
		const version = versions.find(({ id }) => id === versionId);
		if (context.method === 'PUT') return await this.#upload(context, next, path);
		if (versionId !== undefined && !version) return refuse(context, 404, 'NoSuchVersion');
		if (context.method === 'DELETE') {
			if (!version) {
				const marker = { id: randomUUID(), hasLegalHold: false, retainUntil: 0 };
				this.#versions.set(path, [...versions, marker]);
				context.set({ 'x-amz-delete-marker': 'true', 'x-amz-version-id': marker.id });
			} else if (version.hasLegalHold || version.retainUntil > Date.now()) {
				return refuse(context, 403, 'AccessDenied');
			} else {
				const others = versions.filter((one) => one !== version);
				this.#versions.set(path, others);
			}
			return void Object.assign(context, { status: 204 });
		}
		if (version) return void Object.assign(context, { status: 200, body: version.content });
		const isHidden = versions.length > 0 && !versions.at(-1)?.content;
		return isHidden ? refuse(context, 404, 'NoSuchKey') : await next();
	};

	async #upload(context: Context, next: () => Promise<void>, path: string): Promise<void> {
		const { headers } = context.req;
		const hasLegalHold = headers[`${LOCK}legal-hold`] === 'ON';
		const until = headers[`${LOCK}retain-until-date`];
		const hasMode = /^(?:GOVERNANCE|COMPLIANCE)$/.test(String(headers[`${LOCK}mode`]));
		if (hasMode !== (until !== undefined)) return refuse(context, 400, 'InvalidArgument');
		const isLocked = hasLegalHold || hasMode || this.#defaultDays > 0;
		const hasChecksum = headers['x-amz-checksum-sha256'] ?? headers['content-md5'];
		// S3 refuses it: "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object
		// requests with Object Lock parameters".
		if (isLocked && !hasChecksum) return refuse(context, 400, 'InvalidRequest');
		await next();
		if (context.status !== 200) return;
		const byDefault = this.#defaultDays > 0 ? Date.now() + this.#defaultDays * DAY : 0;
		const retainUntil = until === undefined ? byDefault : Date.parse(String(until));
		const content = await this.#contentOf(path);
		const version = { id: randomUUID(), content, hasLegalHold, retainUntil };
		this.#versions.set(path, [...(this.#versions.get(path) ?? []), version]);
		context.set({ 'x-amz-version-id': version.id });
	}
}

/** Answers as S3 does. */
export function refuse(context: Context, status: number, code: string): void {
	context.req.resume();
	const error = `<Error><Code>${code}</Code><Message>Ordered fault</Message></Error>`;
	const body = `<?xml version="1.0" encoding="UTF-8"?>\n${error}`;
	Object.assign(context, { status, type: 'application/xml', body });
}
