import { VoiceAgentError } from '../../errors';
import { optionsField } from '../../fields/field';
import { operation } from '../../fields/operation';
import { peekAudio } from '../../recordingFile/audioFormat';
import { unpeek } from '../../recordingFile/chunks';
import { isUnproven, tryPasswords } from '../../recordingFile/tryPasswords';
import { unknownFormat } from '../../recordingFile/formats';
import { isTextPage } from '../../recordingFile/textPage';
import { accountFields, passwordsOf } from '../../service/account';
import { isSessionGuid } from '../../service/sessionGuid';
import { chunksOf } from './file/binary';
import { inputJson } from './file/inputJson';
import { baseNameOf, recordingItem } from './file/output';
import { requireTellingTemplate } from './file/tellingNames';
import { outputField, outputFileName } from './recordingFields';

export const decryptRecording = operation({
	name: 'Decrypt',
	value: 'decrypt',
	action: 'Decrypt recording',
	description: 'Decrypt an encrypted recording (.enc file) from an input item',
	usesAccount: true,
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
		const { inputBinaryField, binaryPropertyName } = values;
		const { outputFileName: template } = values.options;
		const account = await accountFields(this, itemIndex);
		const json = inputJson(this, itemIndex, account);
		const file = this.helpers.assertBinaryData(itemIndex, inputBinaryField);
		// The base name of the input with another extension, as the service's own decryption
		// utility names it.
		const baseName = baseNameOf(file.fileName);
		const known = json.sessionGuid ?? baseName;
		const sessionGuid = isSessionGuid(known) ? known : null;
		requireTellingTemplate(template, sessionGuid);
		const passwords = passwordsOf(account);
		return await tryPasswords(passwords, async (decryptNext) => {
			const input = await peekAudio(await chunksOf(this, file));
			const isText = isTextPage(input.head);
			try {
				if (input.format) throw new VoiceAgentError('notEncrypted');
				const decrypted = await decryptNext(unpeek(input));
				const plain = await peekAudio(decrypted.chunks);
				const { passwordIndex } = decrypted;
				const output = {
					chunks: unpeek(plain),
					format: plain.format ?? unknownFormat,
					baseName,
					sessionGuid,
					input: json,
					facts: { encrypted: false, decrypted: true, verified: true, passwordIndex },
				};
				return [await recordingItem(this, itemIndex, binaryPropertyName, output, template)];
			} catch (error) {
				throw asItLooks(error, isText);
			} finally {
				// If the file is refused, it has not been read to its end.
				await input.close();
			}
		});
	},
});

/** The error about a file that no tag has proven, which may be text instead. */
function asItLooks(error: unknown, isText: boolean): unknown {
	if (!isText || !isUnproven(error)) return error;
	return new VoiceAgentError('notEncrypted', {
		detail: 'it is text',
		hint: 'It may be an error page that was saved as a recording, or a recording in Base64 or hex.',
	});
}
