import type { Chunks } from '../../recordingFile/chunks';
import type { Answer, Limits } from './answer';
import { limitedBody } from './answer';
import { sendDownload } from './redirects';
import type { RetryOptions } from './retries';
import { earlyEndsIn, withoutKnownLength, withRetries } from './retries';
import type { RequestContext, SendOptions } from './transport';

/** `deadlineMs` is for all attempts together. */
export type DownloadOptions = Pick<SendOptions, 'itemIndex' | 'statusReasons'> &
	Limits &
	Pick<RetryOptions, 'wait'>;

export interface DownloadedFile {
	/** Status of the answer, 2xx. */
	status: number;
	/** Whether the answer says that this is a part of the file. */
	isPart: boolean;
	chunks: Chunks;
	/** As the service says; empty if it says nothing. */
	contentType: string;
	/** Whether the service announced the length, so that a download that is cut off is noticed. */
	lengthIsKnown: boolean;
	/** That length, or 0. */
	announcedBytes: number;
	/** The lengths, in bytes, at which earlier attempts seemed to end early. */
	earlyEnds: readonly number[];
}

/**
 * Downloads a file and passes its chunks to `use`, which stores them. If either fails for a reason that may pass, both
 * start over, so `use` must leave nothing behind when the chunks end in an error.
 *
 * The chunks end in an error if fewer bytes arrive than announced.
 */
export async function download<T>(
	context: RequestContext,
	path: string,
	{ maxBytes, deadlineMs, wait, ...options }: DownloadOptions,
	use: (file: DownloadedFile) => Promise<T>,
): Promise<T> {
	const attempt = async (failures: readonly unknown[]) => {
		const answer = await sendDownload(context, path, { ...options, deadlineMs });
		const length = answer.header('content-length');
		const lengthIsKnown = length !== undefined;
		try {
			return await use({
				status: answer.status,
				isPart: isPart(answer),
				chunks: limitedBody(answer, { maxBytes, deadlineMs }),
				contentType: answer.header('content-type') ?? '',
				lengthIsKnown,
				announcedBytes: Number(length ?? 0),
				earlyEnds: earlyEndsIn(failures),
			});
		} catch (error) {
			throw lengthIsKnown ? error : withoutKnownLength(error);
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
