/** Renders the pages of errors from the table that the nodes use: `node harness/errorsPage.mts` writes them. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '../docs');

interface Group {
	title: string;
	/** Whether trying again helps. */
	again: string;
	reasons: string[];
}

const recordings: Group[] = [
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
		reasons: ['recordingGone'],
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
			'tooLarge',
			'tooLargeForDatabase',
		],
	},
];

const settings: Group[] = [
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
			'recordingsWithoutGuid',
			'unreadableList',
			'incompleteList',
			'unclearList',
			'noCallFields',
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
			'nobodyWaitsForResponse',
		],
	},
];

type Texts = Record<string, { message: string; description: string }>;

/**
 * The pages by their paths, from the built package. Two, so that none is too long.
 * @throws {Error} when a reason is in no group, or a group names a reason that does not exist
 */
export function renderErrorsPages(): Map<string, string> {
	const { errorTexts } = createRequire(import.meta.url)('../dist/nodes/errors.js') as {
		errorTexts: Texts;
	};
	const grouped = [...recordings, ...settings].flatMap(({ reasons }) => reasons).sort();
	const known = Object.keys(errorTexts).sort();
	if (grouped.join() !== known.join()) {
		const wrong = [...known, ...grouped].filter(
			(one) => !known.includes(one) || !grouped.includes(one),
		);
		throw new Error(`harness/errorsPage.mts: sort these into one group: ${wrong.join(', ')}`);
	}
	const sections = (groups: Group[]) =>
		groups.map((group) => section(group, errorTexts)).join('\n');
	return new Map([
		[
			join(DOCS, 'errors.md'),
			`# Errors

Every reason of the nodes, by whether trying again helps. With **On Error** set to continue, a failed item has the message in \`error\` and the reason in \`details.reason\`. Decide by the reason: it keeps its name within a major version, while texts may change. After a colon, a message can name the parameter, the request or the status.

The reason is \`unexpected\` for an error that is not from this package, such as a full disk.

These reasons are on [errors in settings](errors-settings.md):

${settings.map(contents).join('\n')}

${sections(recordings)}`,
		],
		[
			join(DOCS, 'errors-settings.md'),
			`# Errors in settings

Most of these errors go away once a setting is corrected, in n8n or at the service. [Errors](errors.md) has all others, and says where a workflow finds the reason.

${sections(settings)}`,
		],
	]);
}

function contents({ title, reasons }: Group): string {
	const links = reasons.map((reason) => `[${reason}](errors-settings.md#${reason.toLowerCase()})`);
	return `- ${title}: ${links.join(', ')}`;
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

if (import.meta.main) {
	for (const [path, text] of renderErrorsPages()) writeFileSync(path, text);
}
