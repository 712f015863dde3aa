import type { IExecuteFunctions } from 'n8n-workflow';

import { withoutSecrets } from '../../data/hidePasswords';
import { optionsField } from '../../fields/field';
import { operation, outputItem } from '../../fields/operation';
import { recordingPasswords } from '../../service/account';
import { serviceAccess } from '../../service/http/transport';
import { exploreRefusals } from './explore/access';
import { Asker } from './explore/asker';
import { type Changes, changesOf, exploreCall, exploreDelete } from './explore/changes';
import { exploreDocument, exploreLimits, exploreSms } from './explore/document';
import { exploreDownload } from './explore/download';
import { exploreFields } from './explore/fields';
import { explorePaging } from './explore/paging';
import { type PastedWebhook, pastedWebhook } from './explore/pastedWebhook';
import { profileOf } from './explore/profile';
import { exploreList } from './explore/recordings';
import { type Finding, placeInForm, rowOf, type Settings } from './explore/settings';
import { exploreWebhook, notPasted } from './explore/webhooks';

const PROFILE_FILE = 'service-profile.json';

export const explore = operation({
	name: 'Explore',
	value: 'explore',
	action: 'Explore service',
	description:
		'Find out how the service answers, and what to set in the credential. Reads only, unless you enter a call or a recording to delete. The file has the answers, without keys and personal data.',
	usesAccount: true,
	fields: [
		optionsField([
			{
				displayName: 'CallEnd Headers',
				name: 'callEndHeaders',
				type: 'json',
				default: '{}',
				description: 'Headers of the CallEnd webhook as a JSON object, to see how it is signed',
			},
			{
				displayName: 'CallEnd Payload',
				name: 'callEndPayload',
				type: 'json',
				default: '',
				description:
					"Body of a CallEnd webhook, to see what a VoiceAgent Trigger makes of it. Copy it from the service, from 'payload' of an execution, or paste the whole output of n8n's Webhook node.",
			},
			{
				displayName: 'CallStart Headers',
				name: 'callStartHeaders',
				type: 'json',
				default: '{}',
				description: 'Headers of the CallStart webhook as a JSON object, to see how it is signed',
			},
			{
				displayName: 'CallStart Payload',
				name: 'callStartPayload',
				type: 'json',
				default: '',
				description:
					"Body of a CallStart webhook, to see what a VoiceAgent Trigger makes of it. Copy it from the service, from 'payload' of an execution, or paste the whole output of n8n's Webhook node.",
			},
			{
				displayName: 'Delete Recording',
				name: 'deleteRecording',
				type: 'string',
				default: '',
				placeholder: 'e.g. 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
				description:
					'Session GUID of a recording that nobody needs, exactly as the list has it. It is deleted for good, so type it: an expression is refused.',
			},
			{
				displayName: 'Delete Without Proof',
				name: 'deleteWithoutProof',
				type: 'boolean',
				default: false,
				description:
					"Whether to delete the recording in 'Delete Recording' although nothing proves that it is archived",
			},
			{
				displayName: 'Place a Call To',
				name: 'placeCallTo',
				type: 'string',
				default: '',
				placeholder: 'e.g. +15550100',
				description:
					'Your own phone number, to see how a call is answered. It is really called, so type it: an expression is refused.',
			},
		]),
	],
	oneAtATime: true,
	async execute({ options }, itemIndex) {
		const { callStartPayload, callStartHeaders, callEndPayload, callEndHeaders } = options;
		// What is entered wrongly is said before anything is asked.
		const webhooks = {
			callStart: pastedWebhook('callStart', callStartPayload, callStartHeaders),
			callEnd: pastedWebhook('callEnd', callEndPayload, callEndHeaders),
		};
		const changes = changesOf(this, itemIndex, options.deleteWithoutProof ?? false);
		const access = await serviceAccess(this, itemIndex);
		const asker = new Asker(this, access, await recordingPasswords(this, itemIndex));
		const { findings, profile } = await explored(this, itemIndex, { asker, webhooks, changes });
		const file = Buffer.from(`${JSON.stringify(profile, null, '\t')}\n`);
		const data = await this.helpers.prepareBinaryData(file, PROFILE_FILE, 'application/json');
		// An answer in words has names and headers of the service in it.
		const rows = findings.map((finding) => withoutSecrets(rowOf(finding), access.secrets));
		return rows.map((row, index) => outputItem(itemIndex, row, index === 0 ? { data } : undefined));
	},
});

interface Task {
	asker: Asker;
	webhooks: Record<'callStart' | 'callEnd', PastedWebhook | undefined>;
	changes: Changes;
}

async function explored(
	context: IExecuteFunctions,
	itemIndex: number,
	{ asker, webhooks, changes }: Task,
) {
	const { facts, findings: listFindings } = await exploreList(asker);
	const refusals = await exploreRefusals(asker, facts);
	const document = await exploreDocument(asker);
	const sms = await exploreSms(asker);
	const list = facts && (await explorePaging(asker, facts));
	const call = await exploreCall(context, itemIndex, asker, changes.placeCallTo);
	const deletion = await exploreDelete(asker, facts, changes.deleteRecording);
	const findings = sorted([
		...listFindings,
		...(facts ? exploreFields(facts) : []),
		...(list?.findings ?? []),
		...exploreDownload(asker, facts),
		...refusals,
		document,
		call,
		deletion,
		...(['callStart', 'callEnd'] as const).flatMap((event) => {
			const webhook = webhooks[event];
			return webhook ? exploreWebhook(asker, webhook) : [notPasted(event)];
		}),
		sms,
		exploreLimits(asker),
	]);
	const pasted = Object.values(webhooks).filter((one) => one !== undefined);
	const profile = profileOf(asker, {
		facts,
		paging: list?.paging,
		webhooks: pasted,
		settings: settingsOf(findings),
	});
	return { findings, profile };
}

/** What has to be set comes first, in the order of the form of the credential. */
function sorted(findings: readonly Finding[]): Finding[] {
	const place = ({ settings = {} }: Finding) => placeInForm(settings);
	const isOpen = ({ recognized }: Finding) => (recognized === false ? 0 : 1);
	return [...findings].sort(
		(one, other) => place(one) - place(other) || isOpen(one) - isOpen(other),
	);
}

function settingsOf(findings: readonly Finding[]): Settings {
	return Object.assign({}, ...findings.map(({ settings = {} }) => settings)) as Settings;
}
