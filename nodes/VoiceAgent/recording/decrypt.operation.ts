import { VoiceAgentError } from '../../errors';
import { optionsField } from '../../fields/field';
import { operation } from '../../fields/operation';
import { AUDIO_HEAD_BYTES, recognizeAudio, unknownFormat } from '../../recordingFile/audioFormat';
import { peek, unpeek } from '../../recordingFile/chunks';
import { tryPasswords } from '../../recordingFile/encryptedRecording';
import { recordingPasswords } from '../../service/credentials/optionalCredentials';
import { isSessionGuid } from '../../service/sessionGuid';
import { chunksOf } from './file/binary';
import { baseNameOf, recordingItem } from './file/output';
import { outputField, outputFileName } from './recordingFields';

export const decryptRecording = operation({
	name: 'Decrypt',
	value: 'decrypt',
	action: 'Decrypt recording',
	description: 'Decrypt an encrypted recording (.enc file) from an input item',
	fields: [
		{
			displayName: 'Input Binary Field',
			name: 'inputBinaryField',
			type: 'string',
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			hint: 'The name of the input binary field that holds the .enc file',
			description: "If the binary mode of the workflow is 'combined', enter _files.data",
		},
		outputField,
		optionsField([outputFileName]),
	],
	async execute(values, itemIndex) {
		const passwords = await recordingPasswords(this, itemIndex);
		return await tryPasswords(passwords, async (decryptNext) => {
			const file = this.helpers.assertBinaryData(itemIndex, values.inputBinaryField);
			const input = await peek(await chunksOf(this, file), AUDIO_HEAD_BYTES);
			try {
				if (recognizeAudio(input.head)) throw new VoiceAgentError('notEncrypted');
				const decrypted = await decryptNext(unpeek(input));
				const plain = await peek(decrypted.chunks, AUDIO_HEAD_BYTES);

				// The base name of the input with another extension, as the service's own decryption utility names it.
				const baseName = baseNameOf(file.fileName);
				const { json = {} } = this.getInputData()[itemIndex] ?? {};
				const known = json.sessionGuid ?? baseName;
				const output = {
					chunks: unpeek(plain),
					format: recognizeAudio(plain.head) ?? unknownFormat,
					baseName,
					sessionGuid: isSessionGuid(known) ? known : null,
					facts: { encrypted: false, decrypted: true, passwordIndex: decrypted.passwordIndex },
				};
				const { outputFileName: template } = values.options;
				return [await recordingItem(this, itemIndex, values.binaryPropertyName, output, template)];
			} finally {
				// If the file is refused, it has not been read to its end.
				await input.close();
			}
		});
	},
});
