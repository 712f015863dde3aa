import { VoiceAgentError, type Reason } from '../../nodes/errors.ts';

/** Why a file was refused. `code` is for scripts, and `hint` says what to do. */
export class Refusal extends Error {
	readonly code: string;

	readonly hint: string;

	constructor(code: string, message: string, hint = '') {
		super(message);
		this.name = 'Refusal';
		this.code = code;
		this.hint = hint;
	}
}

/** The command line itself cannot be followed: nothing was done, exit code 2. */
export class UsageError extends Error {
	override readonly name = 'UsageError';
}

interface SystemErrorText {
	code: string;
	message: string;
	hint?: string;
}

export const makeRoom = 'Free some space, or choose a folder on another disk with --out-dir.';

const systemErrors: Record<string, SystemErrorText> = {
	ENOENT: { code: 'notFound', message: 'There is no such file or folder' },
	ENOTDIR: { code: 'notFound', message: 'A part of the path is a file, not a folder' },
	EACCES: { code: 'permission', message: 'Permission denied' },
	EPERM: { code: 'permission', message: 'The operation is not permitted' },
	EROFS: {
		code: 'readOnly',
		message: 'The disk is read-only',
		hint: 'Choose another folder with --out-dir.',
	},
	ENOSPC: { code: 'diskFull', message: 'The disk is full', hint: makeRoom },
	EDQUOT: { code: 'diskFull', message: 'Your disk quota is used up', hint: makeRoom },
	EFBIG: {
		code: 'fileTooLarge',
		message: 'The disk or a limit of this session does not allow a file of this size',
		hint: 'FAT disks hold at most 4 GB in a file; see also `ulimit -f`.',
	},
	EIO: { code: 'inputOutput', message: 'The disk failed to read or write' },
	EMFILE: { code: 'tooManyOpenFiles', message: 'Too many files are open' },
	ENFILE: { code: 'tooManyOpenFiles', message: 'Too many files are open' },
	ENAMETOOLONG: { code: 'nameTooLong', message: 'The file name is too long' },
	ELOOP: {
		code: 'link',
		message: 'This is a symbolic link',
		hint: 'Name the file that it points to.',
	},
	EISDIR: { code: 'folder', message: 'This is a folder' },
	EBUSY: { code: 'busy', message: 'Another program uses the file' },
	EPIPE: {
		code: 'readerGone',
		message: 'The program that reads standard output has closed it',
	},
};

/** What to do about errors of the shared code, whose own descriptions are for users of n8n. */
const sharedHints: Partial<Record<Reason, string>> = {
	notEncrypted: 'An encrypted recording has at least 44 bytes: the download may be incomplete.',
};

/**
 * Turns any error into a refusal. The text of an unknown error is not repeated: it may quote an
 * argument, which may be the password.
 *
 * @param subject what failed, if it is not the input file itself, e.g. "the output"
 */
export function asRefusal(error: unknown, subject?: string): Refusal {
	if (error instanceof Refusal) return error;
	if (error instanceof VoiceAgentError) {
		return new Refusal(error.reason, error.message, sharedHints[error.reason]);
	}
	const code = error instanceof Error && 'code' in error ? String(error.code) : '';
	const known = systemErrors[code];
	if (known) {
		return new Refusal(
			known.code,
			subject ? `${known.message} (${subject})` : known.message,
			known.hint,
		);
	}
	return new Refusal(
		'unexpected',
		`Unexpected error${code ? ` ${code}` : ''}${subject ? ` (${subject})` : ''}`,
		isUnexpected(error) ? `Please report it, with this place: ${firstFrame(error)}` : undefined,
	);
}

function isUnexpected(error: unknown): error is Error & { stack: string } {
	return error instanceof Error && typeof error.stack === 'string' && !('errno' in error);
}

function firstFrame({ stack }: { stack: string }): string {
	const frame = stack.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
	return frame.trim().replace(/\(.*[\\/]/, '(');
}

/** The code of a system error, e.g. `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
	return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
