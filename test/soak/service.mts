/**
 * The service of a soak. It ends calls, sends webhooks, and looks into the archive when it is told
 * to delete a recording.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Emulator } from '../../emulator/src/index.mts';
import { PASSWORD } from '../../harness/stack.mts';
import { sha256 } from '../../harness/standIns/storedFiles.mts';
import { postWebhook } from '../../harness/webhook.mts';
import { wholeFiles } from '../n8n/archived.mts';
import { awayOf } from './outages.mts';
import type { PlannedCall } from './plan.mts';

export interface Service {
	/** Ends a call: stores its recording, orders its faults and sends its webhook, as planned. */
	callEnds(call: PlannedCall): Promise<void>;
	/** Waits until all recordings are stored and all webhooks sent. */
	settled(): Promise<void>;
	seen: Seen;
	/** How far it is. */
	progress(): string;
	close(): void;
}

export interface Seen {
	/** Session GUIDs that the service was told to delete before the archive had a whole file. */
	wrongDeletes: string[];
	/** How often it was told to delete. */
	deletes: number;
	/** How many webhooks n8n has taken. */
	webhooksTaken: number;
}

export function watchedService(emulator: Emulator, folder: string, webhookUrl: string): Service {
	const { control } = emulator;
	const port = Number(new URL(emulator.url).port);
	const expected = new Map<string, string>();
	const underWay = new Set<Promise<void>>();
	const heldBack: Array<() => void> = [];
	const seen: Seen = { wrongDeletes: [], deletes: 0, webhooksTaken: 0 };
	const startMs = Date.now();
	let ended = 0;

	// Before the emulator sees the request.
	const onRequest = (message: unknown) => {
		const { request } = message as { request: IncomingMessage };
		if (request.socket.localPort !== port || request.method !== 'DELETE') return;
		seen.deletes += 1;
		const sessionGuid = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
		const whole = wholeFiles(filesOf(folder, sessionGuid));
		if (whole.some(({ content }) => sha256(content) === expected.get(sessionGuid))) return;
		seen.wrongDeletes.push(sessionGuid);
	};
	subscribe('http.server.request.start', onRequest);

	const background = (work: Promise<void>) => {
		const tracked = work.finally(() => underWay.delete(tracked));
		underWay.add(tracked);
	};

	async function send(body: string): Promise<void> {
		// The service tries once. While n8n is down, nobody hears it.
		const answer = await postWebhook(webhookUrl, body).catch(() => undefined);
		if (answer?.ok) seen.webhooksTaken += 1;
	}

	async function store(call: PlannedCall, endedAt: string): Promise<void> {
		if (!call.recording) return;
		const { format, sizeBytes, isEncrypted } = call.recording;
		const { sessionGuid } = call;
		await sleep(call.lateMs);
		const stored = await control.addRecording({
			sessionGuid,
			format,
			sizeBytes,
			endedAt,
			to: '+15550100',
			...(isEncrypted && { password: PASSWORD }),
		});
		expected.set(sessionGuid, stored.plainSha256);
	}

	return {
		seen,
		progress() {
			const seconds = Math.round((Date.now() - startMs) / 1_000);
			const stored = control.recordings();
			const deleted = stored.filter(({ state }) => state !== 'stored');
			const recordings = `${deleted.length} of ${stored.length} recordings`;
			return `${seconds} s: ${ended} calls ended, ${recordings} deleted`;
		},
		async callEnds(call) {
			const { sessionGuid, webhook, faults } = call;
			const endedAt = new Date(control.now()).toISOString();
			for (const fault of faults) control.addFault(fault);
			const stored = store(call, endedAt);
			if (call.lateMs > 0) background(stored);
			else await stored;
			const released = heldBack.splice(0);
			if (!webhook.isLost) {
				const recorded = call.recording !== undefined;
				const body = JSON.stringify({ event: 'CallEnd', sessionGuid, endedAt, recorded });
				const deliver = () => {
					background(send(body));
					const { repeatedAfterMs } = webhook;
					if (repeatedAfterMs === undefined) return;
					background(sleep(repeatedAfterMs).then(async () => await send(body)));
				};
				if (webhook.isReordered) heldBack.push(deliver);
				else deliver();
			}
			for (const deliver of released) deliver();
			ended += 1;
		},
		async settled() {
			for (const deliver of heldBack.splice(0)) deliver();
			while (underWay.size > 0) await Promise.all(underWay);
		},
		close: () => void unsubscribe('http.server.request.start', onRequest),
	};
}

/** The files of a recording in the archive folder at this moment. */
function filesOf(archive: string, sessionGuid: string) {
	const folder = existsSync(archive) ? archive : awayOf(archive);
	return readdirSync(folder)
		.filter((name) => name.includes(sessionGuid))
		.map((name) => ({ name, content: readFileSync(join(folder, name)) }));
}
