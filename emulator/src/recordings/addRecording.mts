import { randomUUID } from 'node:crypto';
import { synthesize } from '../audio/audio.mts';
import type { Parts } from '../control/parts.mts';
import type { RecordingRow } from '../database.mts';
import { ServiceError } from '../errors.mts';
import type { AddRecordingRequest } from './schemas.mts';

/** Options of `addRecording`; give at most one of content, sizeBytes and durationSeconds. */
export interface AddRecordingOptions extends Omit<AddRecordingRequest, 'contentBase64'> {
	/** Exact bytes to store, instead of synthetic audio. */
	content?: Uint8Array;
}

const DEFAULT_SECONDS = 5;

function refuse(message: string, ...fields: string[]): ServiceError {
	return new ServiceError(400, 'invalid_request', message, fields);
}

/** Stores a recording without a call. */
export async function addRecording(
	{ clock, log, recordings, shapes }: Pick<Parts, 'clock' | 'log' | 'recordings' | 'shapes'>,
	{
		content,
		sizeBytes,
		durationSeconds,
		format = 'opus',
		onTheFly = false,
		sessionGuid = shapes.profile.spelled(randomUUID()),
		...options
	}: AddRecordingOptions,
): Promise<RecordingRow> {
	if (content && sizeBytes !== undefined) {
		throw refuse('Give either content or sizeBytes', 'content', 'sizeBytes');
	}
	if (onTheFly && (content || options.password !== undefined)) {
		const message = 'Only unencrypted synthetic audio can be made on the fly';
		throw refuse(message, 'onTheFly', content ? 'content' : 'password');
	}
	if (sizeBytes !== undefined && durationSeconds !== undefined) {
		throw refuse('Give either sizeBytes or durationSeconds', 'sizeBytes', 'durationSeconds');
	}
	const endedAt = options.endedAt === undefined ? clock.now() : Date.parse(options.endedAt);
	// RFC 3339 allows a leap second, which JavaScript does not know.
	if (Number.isNaN(endedAt)) throw refuse('endedAt is a time that does not exist', 'endedAt');
	const seconds = durationSeconds ?? DEFAULT_SECONDS;
	const extent = sizeBytes === undefined ? { durationSeconds: seconds } : { sizeBytes };
	const sound = content
		? { durationSeconds: seconds, chunks: [content] }
		: synthesize(format, sessionGuid, extent);
	const row = await recordings.add({
		sessionGuid,
		to: options.to ?? null,
		from: options.from ?? null,
		startedAt: endedAt - Math.round(sound.durationSeconds * 1000),
		endedAt,
		durationSeconds: sound.durationSeconds,
		format,
		password: options.password ?? null,
		content: sound.chunks,
		onTheFly,
	});
	log.write('info', `recording added, ${row.storedBytes} bytes`, sessionGuid);
	return row;
}
