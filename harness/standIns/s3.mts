/**
 * A local S3-compatible server, with faults.
 *
 * ```ts
 * const s3 = await startS3('recordings');
 * const credential = await n8n.createCredential(s3.credential);
 * …
 * assert.equal((await s3.objects())[0]?.key, 'session-1.wav');
 * await s3.close();
 * ```
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server as HttpServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

import type { CredentialInput } from '../n8n/n8n.mts';
import { damaged, FaultList, type ArchiveFault } from './archiveFaults.mts';
import { type Context, ObjectLock, refuse } from './objectLock.mts';
import { storedFiles } from './storedFiles.mts';

/** Requests about one object. */
type S3Step = 'upload' | 'download';
export interface S3 {
	/** Of the bucket, with a slash at its end. */
	url: string;
	/** For n8n's credential type AWS (IAM). */
	credential: CredentialInput;
	/** What is locked, if the bucket has Object Lock. */
	lock?: ObjectLock;
	/** Everything in the bucket, by key. */
	objects(): Promise<Array<{ key: string; content: Buffer }>>;
	/** Stores an object. */
	put(key: string, content: Buffer): Promise<void>;
	/** With `corrupt` and `truncate`, the ETag is that of the file as it was sent. */
	addFault(fault: ArchiveFault<S3Step>): void;
	close(): Promise<void>;
}

interface Server {
	middleware: ((context: Context, next: () => Promise<void>) => Promise<void>)[];
	run(): Promise<AddressInfo>;
	httpServer: HttpServer;
}
type ServerClass = new (options: {
	address: string;
	port: number;
	silent: boolean;
	directory: string;
	configureBuckets: { name: string }[];
}) => Server;
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as ServerClass;

const CODES: Record<number, string> = { 403: 'AccessDenied', 404: 'NoSuchBucket', 503: 'SlowDown' };

/** How the server marks the file that holds the content of an object. */
const CONTENT_SUFFIX = '._S3rver_object';

/**
 * Starts a server on a free port of 127.0.0.1 with one empty bucket, in a temporary folder.
 *
 * @param retentionDays for how long the bucket retains each object. Without it, the bucket has no
 * Object Lock
 */
export async function startS3(bucket: string, retentionDays?: number): Promise<S3> {
	const directory = await mkdtemp(join(tmpdir(), 's3-'));
	const faults = new FaultList<S3Step>();
	const server = new S3rver({
		address: '127.0.0.1',
		port: 0,
		silent: true,
		directory,
		configureBuckets: [{ name: bucket }],
	});

	async function withFaults(context: Context, next: () => Promise<void>): Promise<void> {
		const step = stepOf(context);
		const fault = step && faults.take(step);
		if (fault?.kind === 'status') {
			const { status } = fault;
			await finished(context.req.resume());
			return refuse(context, status, CODES[status] ?? 'InternalError');
		}
		await next();
		if (fault?.kind === 'corrupt' || fault?.kind === 'truncate') {
			const file = fileOf(decodeURIComponent(context.path));
			await writeFile(file, damaged(await readFile(file), fault.kind));
		}
		if (fault?.kind === 'loseAnswer') context.req.socket.destroy();
		if (fault?.kind === 'loseAnswer' || fault?.kind === 'silent') context.respond = false;
	}

	/** The server itself compares only Content-MD5. */
	async function withChecksums(context: Context, next: () => Promise<void>): Promise<void> {
		const { 'x-amz-content-sha256': signed, 'x-amz-checksum-sha256': sent } = context.req.headers;
		await next();
		const isUpload = stepOf(context) === 'upload' && context.status === 200;
		const announced = [/^[0-9a-f]{64}$/.test(String(signed)) && signed, sent];
		if (!isUpload || !announced.some(Boolean)) return;
		const file = fileOf(decodeURIComponent(context.path));
		const hash = createHash('sha256');
		for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
		const digest = hash.digest();
		const actual = [digest.toString('hex'), digest.toString('base64')];
		if (announced.every((one, index) => !one || one === actual[index])) return;
		await rm(file);
		refuse(context, 400, 'XAmzContentSHA256Mismatch');
	}

	const fileOf = (path: string) => join(directory, `${path}${CONTENT_SUFFIX}`);
	const lock =
		retentionDays === undefined
			? undefined
			: new ObjectLock(retentionDays, async (path) => await readFile(fileOf(path)));
	server.middleware.unshift(withFaults, ...(lock ? [lock.handle] : []), withChecksums);
	const { port } = await server.run();
	const url = `http://127.0.0.1:${port}/${bucket}/`;

	return {
		url,
		lock,
		credential: {
			name: 'AWS',
			type: 'aws',
			data: { region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
		},
		async objects() {
			const files = await storedFiles(join(directory, bucket));
			return files
				.filter(({ name }) => name.endsWith(CONTENT_SUFFIX))
				.map(({ name, content }) => ({ key: name.slice(0, -CONTENT_SUFFIX.length), content }));
		},
		async put(key, content) {
			const { status } = await fetch(`${url}${key}`, {
				method: 'PUT',
				body: new Uint8Array(content),
			});
			if (status !== 200) throw new Error(`The bucket has answered with ${status}.`);
		},
		addFault: (fault) => faults.add(fault),
		async close() {
			const { httpServer } = server;
			httpServer.close();
			httpServer.closeAllConnections();
			await once(httpServer, 'close');
			await rm(directory, { recursive: true, force: true });
		},
	};
}

function stepOf({ method, path }: Context): S3Step | undefined {
	const isObject = /^\/[^/]+\/./.test(path);
	if (!isObject) return undefined;
	return ({ PUT: 'upload', GET: 'download' } as const)[method];
}
