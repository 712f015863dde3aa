/** Renders docs/errors.md from the table that the nodes use: `node harness/errorsPage.mts` writes it. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const errorsPagePath = join(import.meta.dirname, '../docs/errors.md');

interface Group {
	title: string;
	/** Whether trying again helps. */
	again: string;
	reasons: string[];
}

const groups: Group[] = [
	{
		title: 'It may have happened',
		again:
			'**Do not try again** before you know whether the call was placed or the message was sent. The nodes do not repeat it, and **Retry On Fail** does not either.',
		reasons: ['callMayHaveBeenPlaced', 'messageMayHaveBeenSent', 'declaredFailure'],
	},
	{
		title: 'Temporary',
		again:
			'**Trying again later helps.** What reads or deletes has been tried up to four times already, with growing pauses or the one that `Retry-After` asks for. A call or message was sent once, and with these reasons nothing was placed or sent.',
		reasons: [
			'rateLimited',
			'serverError',
			'connectionRefused',
			'hostNotFound',
			'timedOut',
			'connectionLost',
			'answerTooSlow',
			'cutShort',
			'truncated',
			'storageFailed',
			'deadlineExceeded',
			'recordingNotReady',
			'recordingIncomplete',
			'stillListed',
			'maybeGone',
			'canceled',
		],
	},
	{
		title: 'No recording',
		again: '**Trying again does not help.** There is no recording, or not any more.',
		reasons: ['recordingGone', 'recordingNotFound'],
	},
	{
		title: 'Archive and password',
		again: '**Trying again helps after you have corrected the cause.** Nothing was deleted.',
		reasons: [
			'proofFailed',
			'notArchived',
			'wrongPasswordOrAltered',
			'passwordMissing',
			'invalidPassword',
			'notEncrypted',
			'notARecording',
			'fileExists',
			'tooLarge',
			'tooLargeForDatabase',
		],
	},
	{
		title: 'Access to the service',
		again: '**Trying again helps after you have corrected the cause.**',
		reasons: [
			'unauthorized',
			'forbidden',
			'invalidBaseUrl',
			'invalidApiKey',
			'notFound',
			'webPage',
			'compressed',
			'redirected',
			'redirectRefused',
			'insecure',
		],
	},
	{
		title: 'Parameters and answers',
		again: '**Trying again helps after you have corrected the cause.**',
		reasons: [
			'invalidParameter',
			'invalidSessionGuid',
			'sessionGuidMissing',
			'rejected',
			'callRefused',
			'callEndUnknown',
			'recordingsWithoutGuid',
			'unreadableList',
			'incompleteList',
			'noApiDocument',
			'noCallFields',
			'callFormTooLarge',
			'toolCallsMixedUp',
			'notYetAvailable',
		],
	},
	{
		title: 'Webhooks and the answer to CallStart',
		again:
			'**Trying again helps after you have corrected the cause.** Until then, webhooks are refused, or a call may not be recorded.',
		reasons: [
			'invalidWebhookSecret',
			'invalidAllowedAddresses',
			'passwordUnprotected',
			'encryptionPasswordMissing',
			'passwordInOutput',
			'nobodyWaitsForResponse',
		],
	},
];

type Texts = Record<string, { message: string; description: string }>;

/**
 * The page, from the built package.
 * @throws {Error} when a reason is in no group, or a group names a reason that does not exist
 */
export function renderErrorsPage(): string {
	const { errorTexts } = createRequire(import.meta.url)('../dist/nodes/errors.js') as {
		errorTexts: Texts;
	};
	const grouped = groups.flatMap(({ reasons }) => reasons).sort();
	const known = Object.keys(errorTexts).sort();
	if (grouped.join() !== known.join()) {
		const wrong = [...known, ...grouped].filter(
			(one) => !known.includes(one) || !grouped.includes(one),
		);
		throw new Error(`harness/errorsPage.mts: sort these into one group: ${wrong.join(', ')}`);
	}
	return `# Errors

Every reason of the nodes, by whether trying again helps. With **On Error** set to continue, a failed item has the message in \`error\` and the reason in \`details.reason\`. Decide by the reason: it keeps its name within a major version, while texts may change. After a colon, a message can name the parameter, the request or the status.

The reason is \`unexpected\` for an error that is not from this package, such as a full disk.

${groups.map((group) => section(group, errorTexts)).join('\n')}`;
}

function section({ title, again, reasons }: Group, texts: Texts): string {
	return `## ${title}

${again}

${reasons.map((reason) => entry(reason, texts)).join('\n')}`;
}

function entry(reason: string, texts: Texts): string {
	const { message = '', description = '' } = texts[reason] ?? {};
	const plain = (text: string) => text.replaceAll('*', '\\*').replaceAll('_', '\\_');
	return `### ${reason}

**${plain(message)}.** ${plain(description)}
`;
}

if (import.meta.main) writeFileSync(errorsPagePath, renderErrorsPage());
