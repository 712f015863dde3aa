/**
 * Writes docs/errors.md from the texts of the nodes: `node harness/errorsPage.mts`. This file adds
 * whether trying again helps: a new reason needs a place in one of the lists.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '../docs/errors.md');

/** Reasons by whether trying again helps. */
const AGAIN: Array<[again: string, meaning: string, reasons: string[]]> = [
	[
		'Ask first',
		'the call may have been placed, or the message sent. ' +
			'Find out before you repeat it. The nodes and **Retry On Fail** do not repeat it.',
		['callMayHaveBeenPlaced', 'messageMayHaveBeenSent', 'declaredFailure'],
	],
	[
		'Later',
		'try again later. Nothing was placed or sent. Failed requests that read or delete were repeated ' +
			'up to three times already, unless their time was up or the execution was canceled.',
		[
			'rateLimited',
			'serverError',
			'unreachable',
			'timedOut',
			'connectionLost',
			'storageFailed',
			'deadlineExceeded',
			'recordingNotReady',
			'recordingIncomplete',
			'stillListed',
			'maybeGone',
			'canceled',
		],
	],
	['No', 'there is no recording, or it is gone.', ['recordingGone', 'recordingLost']],
	[
		'Corrected',
		'try again after you have corrected the cause. Nothing was placed or sent. If Delete fails ' +
			'because of an answer that it cannot use, such as `webPage`, the service may have deleted the ' +
			'recording. The archive was checked before.',
		[
			'proofFailed',
			'proofOutdated',
			'notVerified',
			'notArchived',
			'wrongPasswordOrAltered',
			'passwordMissing',
			'notEncrypted',
			'notARecording',
			'tooLarge',
			'tooLargeForDatabase',
			'unauthorized',
			'forbidden',
			'invalidBaseUrl',
			'invalidApiKey',
			'notFound',
			'webPage',
			'compressed',
			'redirected',
			'redirectRefused',
			'blockedByN8n',
			'insecure',
			'invalidParameter',
			'rejected',
			'callRefused',
			'placedBefore',
			'outsideCallingHours',
			'doNotCallUnusable',
			'recordingsWithoutGuid',
			'unreadableList',
			'incompleteList',
			'unclearList',
			'noCallFields',
			'toolCallsMixedUp',
			'notYetAvailable',
			'passwordUnprotected',
			'encryptionPasswordMissing',
			'nobodyWaitsForResponse',
		],
	],
];

/** @throws {Error} when a reason is in no list or in two, or a list has one that does not exist */
export function renderErrorsPage(): [path: string, text: string] {
	const { errorTexts } = createRequire(import.meta.url)('../dist/nodes/errorTexts.js') as {
		errorTexts: Record<string, [message: string, description: string]>;
	};
	const listed = AGAIN.flatMap(([, , reasons]) => reasons);
	const known = Object.keys(errorTexts);
	if (listed.toSorted().join() !== known.toSorted().join()) {
		const wrong = [...known, ...listed].filter(
			(reason) => listed.filter((one) => one === reason).length !== 1 || !known.includes(reason),
		);
		throw new Error(`Say in harness/errorsPage.mts whether trying again helps: ${wrong.join()}`);
	}
	const rows = AGAIN.flatMap(([again, , reasons]) =>
		reasons.map((reason) => {
			const message = errorTexts[reason]?.[0].replaceAll('|', '\\|');
			return `| <a id="${reason.toLowerCase()}"></a>\`${reason}\` | ${message} | ${again} |`;
		}),
	);
	const meanings = AGAIN.map(([again, meaning]) => `- **${again}:** ${meaning}`);
	return [
		PAGE,
		`# Errors

For people who build workflows or look for the cause of a failure: every reason why a node can fail, and whether trying again helps. [Troubleshooting](troubleshooting.md) begins with what you see. In n8n, each error also says what to do, and names the parameter, the request or the status.

By default, a failed item stops the workflow. In the **Settings** of a node, **On Error** offers two other ways: **Continue** passes the failed item on with the others, and **Continue (using error output)** gives the node a second output for it. The item has the message in \`error\`, and in \`details\` the reason, what to do, and the recording: \`sessionGuid\`, \`recordingKey\` and \`keptUntil\`. Decide by the reason, with n8n's If or Switch node and \`{{ $json.details.reason }}\`: it keeps its name within a major version, while texts may change. An error that is not from this package, such as a full disk, has the reason \`unexpected\`.

An error workflow gets the same fields, so it doesn't have to search the texts:

| In the item of n8n's Error Trigger | What it has |
| --- | --- |
| \`execution.error.context.metadata\` | \`reason\`, \`sessionGuid\`, \`recordingKey\` and \`keptUntil\` of an error of Download or Delete, even if it failed in a sub-workflow |
| \`execution.executionContext\` | \`sessionGuid\`, \`recordingKey\` and \`keptUntil\` of the recording that Download began with, even if a node of n8n failed. \`null\` if there were several. |

For example, to store a recording untouched if no password opens it, connect the error output of Download to a second Download. Set **Decrypt** to **Keep Encrypted** there, and **Recording** to an expression that refers to the trigger, such as \`{{ $('When a call ends').item.json.sessionGuid }}\`.

In the table, **Again** says whether trying again helps:

${meanings.join('\n')}

| Reason | What happened | Again |
| --- | --- | --- |
${rows.join('\n')}
`,
	];
}

if (import.meta.main) writeFileSync(...renderErrorsPage());
