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
});
