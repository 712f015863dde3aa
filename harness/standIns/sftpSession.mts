/**
 * One session of OpenSSH's `sftp-server`, with the faults that a test has ordered. The SSH server
 * runs this file in its place: `node sftpSession.mts <sftp-server> <file with the faults>`. Packets
 * are those of version 3 of the protocol.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

import { damaged, FaultList, type ArchiveFault } from './archiveFaults.mts';

/** `open`: a file is opened to be written; `upload`: it is closed. */
export type SftpFault = ArchiveFault<'open' | 'upload'>;

const OPEN = 3;
const CLOSE = 4;
const STATUS = 101;
const FAILURE = 4;
/** Flag of `OPEN`. */
const TO_WRITE = 2;

const [server = '', faultsFile = ''] = process.argv.slice(2);
const { stdin, stdout } = spawn(server, { stdio: ['pipe', 'pipe', 'inherit'] }).once(
	'exit',
	(code) => process.exit(code ?? 1),
);
/** The file that is being written: n8n writes one at a time. */
let path: string | undefined;
/** The request that closes it, and what happens to the answer. */
let closing: { id: number; path: string; fault: SftpFault } | undefined;

function take(step: 'open' | 'upload'): SftpFault | undefined {
	const ordered = JSON.parse(readFileSync(faultsFile, 'utf8')) as SftpFault[];
	const list = new FaultList(ordered);
	const fault = list.take(step);
	writeFileSync(faultsFile, JSON.stringify(list.left));
	return fault;
}

function request(packet: Buffer): void {
	const [type, id] = [packet.readUInt8(4), packet.readUInt32BE(5)];
	if (type === OPEN) {
		const end = 13 + packet.readUInt32BE(9);
		const isWritten = (packet.readUInt32BE(end) & TO_WRITE) !== 0;
		if (isWritten && take('open')) return void process.stdout.write(failureOf(id));
		path = isWritten ? packet.subarray(13, end).toString() : undefined;
	}
	if (type === CLOSE && path !== undefined) {
		const fault = take('upload');
		closing = fault && { id, path, fault };
		path = undefined;
	}
	stdin.write(packet);
}

function answer(packet: Buffer): void {
	if (packet.readUInt32BE(5) === closing?.id) {
		const { kind } = closing.fault;
		writeFileSync(closing.path, damaged(readFileSync(closing.path), kind));
		closing = undefined;
		if (kind === 'loseAnswer') process.exit(1);
		if (kind === 'silent') return;
	}
	process.stdout.write(packet);
}

/** Length, type, id and code, an empty message and an empty language. */
function failureOf(id: number): Buffer {
	const packet = Buffer.alloc(21);
	packet.writeUInt32BE(17);
	packet.writeUInt8(STATUS, 4);
	packet.writeUInt32BE(id, 5);
	packet.writeUInt32BE(FAILURE, 9);
	return packet;
}

async function eachPacket(stream: Readable, handle: (packet: Buffer) => void): Promise<void> {
	let rest = Buffer.alloc(0);
	for await (const chunk of stream) {
		rest = Buffer.concat([rest, chunk as Buffer]);
		while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
			const end = 4 + rest.readUInt32BE();
			handle(rest.subarray(0, end));
			rest = rest.subarray(end);
		}
	}
}

void eachPacket(stdout, answer);
await eachPacket(process.stdin, request);
stdin.end();
