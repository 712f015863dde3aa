import { VoiceAgentError } from '../../nodes/errors';
import { errorTexts } from '../../nodes/errorTexts';

describe('the text of an error', () => {
	test.each(Object.entries(errorTexts))(
		'of %s has two sentences at most',
		(_reason, [, description]) => {
			const sentences = description.split(/(?<=[.!?])\s+(?=[A-Z])/);
			expect(sentences.length).toBeLessThanOrEqual(2);
			for (const sentence of sentences) expect(sentence.split(' ').length).toBeLessThanOrEqual(25);
		},
	);

	test.each([
		['No recording is stored', 'No recording is stored. The recording is x.'],
		['It has a "name."', 'It has a "name." The recording is x.'],
		['Is it gone?', 'Is it gone? The recording is x.'],
	])('has a period after what the service said: %s', (said, expected) => {
		const error = new VoiceAgentError('rejected', { hint: said }).withHint('The recording is x.');
		expect(error.description.endsWith(` ${expected}`)).toBe(true);
	});
});
