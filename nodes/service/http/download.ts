import { type Reason, VoiceAgentError } from '../../errors';
import type { Chunks } from '../../recordingFile/chunks';
import { type Answer, type Limits, limitedBody } from './answer';
import { sendDownload } from './redirects';
import { type RetryOptions, withRetries } from './retries';
import type { RequestContext, SendOptions } from './transport';

/** What a file looks like whose end is missing. Without an announced length, nothing else shows that. */
const CUT: readonly Reason[] = ['recordingIncomplete', 'wrongPasswordOrAltered'];

/** `deadlineMs` is for all attempts together. */
export type DownloadOptions = Pick<SendOptions, 'itemIndex' | 'statusReasons'> &
	Limits &
	Pick<RetryOptions, 'wait'>;

export interface DownloadedFile {
	chunks: Chunks;
	/** As the service says; empty if it says nothing. */
	contentType: string;
	/** 0 if the service does not say how long the file is. */
	announcedBytes: number;
}

/**
 * Downloads a file and passes its chunks to `use`, which stores them. If either fails for a reason that may pass, both
 * start over, so `use` must leave nothing behind when the chunks end in an error.
 *
 * The chunks end in an error if fewer bytes arrive than announced. If the service announces no length, a file that seems to
 * be cut is tried again.
 */
export async function download<T>(
	context: RequestContext,
	path: string,
	{ maxBytes, deadlineMs, wait, ...options }: DownloadOptions,
	use: (file: DownloadedFile) => Promise<T>,
): Promise<T> {
	const attempt = async () => {
		const answer = await sendDownload(context, path, { ...options, deadlineMs });
		const length = answer.header('content-length');
		try {
			if ([202, 204].includes(answer.status)) throw new VoiceAgentError('recordingNotReady');
			if (isPart(answer)) throw new VoiceAgentError('truncated', { retryable: true });
			return await use({
				chunks: limitedBody(answer, { maxBytes, deadlineMs }),
				contentType: answer.header('content-type') ?? '',
				announcedBytes: Number(length ?? 0),
			});
		} catch (error) {
			const isCut =
				length === undefined && error instanceof VoiceAgentError && CUT.includes(error.reason);
			throw isCut
				? new VoiceAgentError(error.reason, { detail: error.detail, retryable: true })
				: error;
		} finally {
			answer.body.destroy();
		}
	};
	return await withRetries(attempt, { deadlineMs, wait });
}

/** 206 Partial Content without a range of the whole file, or a range of less: some services send that with status 200. */
export function isPart({ status, header }: Pick<Answer, 'status' | 'header'>): boolean {
	const [, from, to, total] =
		/^bytes\s+(\d+)-(\d+)\/(\d+)$/i.exec(header('content-range') ?? '') ?? [];
	const length = Number(to) - Number(from) + 1;
	return status === 206 ? length !== Number(total) : length < Number(total);
}
