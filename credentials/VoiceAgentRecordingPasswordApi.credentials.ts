import type { Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

export class VoiceAgentRecordingPasswordApi implements ICredentialType {
	name = 'voiceAgentRecordingPasswordApi';

	displayName = 'VoiceAgent Recording Password API';

	icon: Icon = { light: 'file:../icons/voiceagent.svg', dark: 'file:../icons/voiceagent.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-voiceagent/n8n-nodes-voiceagent?tab=readme-ov-file#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'The password that encrypts recordings (recordCallPassword in the reply to CallStart). Used exactly as entered, spaces included.',
		},
		{
			displayName: 'Previous Passwords',
			name: 'previous',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Previous Password' },
			default: {},
			placeholder: 'Add Previous Password',
			description:
				'Passwords that were used before, so that older recordings can still be decrypted',
			options: [
				{
					displayName: 'Previous Password',
					name: 'entries',
					values: [
						{
							displayName: 'Password',
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
