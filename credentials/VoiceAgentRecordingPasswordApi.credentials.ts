import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

export class VoiceAgentRecordingPasswordApi implements ICredentialType {
	name = 'voiceAgentRecordingPasswordApi';

	displayName = 'VoiceAgent Recording Password API';

	icon: Icon = { light: 'file:../icons/voiceagent.svg', dark: 'file:../icons/voiceagent.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-voiceagent/n8n-nodes-voiceagent/blob/main/docs/reference.md#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'Encrypts recordings (recordCallPassword in the answer to CallStart) and decrypts them. Used exactly as entered, spaces included.',
		},
		{
			displayName: 'Previous Passwords',
			name: 'previous',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Previous Password' },
			default: {},
			placeholder: 'Add Previous Password',
			description: 'Earlier passwords, so that older recordings can still be decrypted',
			options: [
				{
					displayName: 'Previous Password',
					name: 'entries',
					values: [
						{
							displayName: 'Previous Password',
							name: 'password',
							type: 'string',
							typeOptions: { password: true },
							default: '',
						},
					],
				},
			],
		},
	];
}
