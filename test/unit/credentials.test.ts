import type { INodeParameters } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { resourceOf } from '../../nodes/fields/resource';
import * as call from '../../nodes/VoiceAgent/call';
import * as callStart from '../../nodes/VoiceAgent/callStart';
import * as connection from '../../nodes/VoiceAgent/connection';
import * as recording from '../../nodes/VoiceAgent/recording';
import * as sms from '../../nodes/VoiceAgent/sms';
import { VoiceAgent } from '../../nodes/VoiceAgent/VoiceAgent.node';

const { description } = new VoiceAgent();
const operations = [call, callStart, connection, recording, sms]
	.map(resourceOf)
	.flatMap((resource) =>
		resource.operations.map((operation) => ({ resource: resource.value, operation })),
	);

function shownCredentials(parameters: INodeParameters): string[] {
	return (description.credentials ?? [])
		.filter((credential) => NodeHelpers.displayParameter(parameters, credential, null, null))
		.map(({ name }) => name);
}

test('each credential has one entry, because n8n looks only at the first', () => {
	const names = description.credentials?.map(({ name }) => name);
	expect(names).toEqual(['voiceAgentApi', 'voiceAgentRecordingPasswordApi']);
});

test.each(operations.map((one) => [one.resource, one.operation.menuEntry.value, one] as const))(
	'%s: %s shows the credentials that its literal names, and only those',
	(resource, operation, { operation: { credentials, fields } }) => {
		const defaults = Object.fromEntries(fields.map((field) => [field.name, field.default]));
		for (const hidden of credentials.flatMap(({ hide = {} }) =>
			Object.entries(hide).flatMap(([field, values]) => values.map((value) => ({ field, value }))),
		)) {
			const parameters = { ...defaults, resource, operation, [hidden.field]: hidden.value };
			const needed = credentials
				.filter(({ hide }) => !hide?.[hidden.field]?.includes(hidden.value))
				.map(({ name }) => name);
			expect(shownCredentials(parameters as INodeParameters)).toEqual(needed);
		}
		const others = { decrypt: 'always', recordCall: true, encryptRecording: true };
		const parameters = { ...defaults, ...others, resource, operation } as INodeParameters;
		expect(shownCredentials(parameters)).toEqual(credentials.map(({ name }) => name));
	},
);
