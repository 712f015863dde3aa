/** A chat model that uses tools as the test says, and then repeats what they have answered. */
import { startOpenAi, type Audio, type OpenAi } from '../../../harness/standIns/openAi.mts';

export interface ToolCall {
	tool: string;
	input: object;
}

export interface ScriptedModel extends OpenAi {
	/** What it does after this was said to it: the tool calls of each turn. */
	script: (said: string) => ToolCall[][];
	/** What it makes of a recording. */
	transcribe: (audio: Audio) => string;
	/** What the tools have answered since the user's last message. */
	toolAnswers(): string[];
}

/** A call that the user has to approve. */
export const askToCall = (
	number: string,
	{ toolParameters = {}, hitlParameters = {} } = {},
): ToolCall => ({
	tool: 'make_a_call',
	input: { toolParameters: { Number: number, ...toolParameters }, hitlParameters },
});

export async function startScriptedModel(): Promise<ScriptedModel> {
	const openAi = await startOpenAi({
		chat({ messages }) {
			const since = messages.findLastIndex(({ role }) => role === 'user');
			const turn = messages.slice(since).filter((message) => message.tool_calls).length;
			const calls = model.script(JSON.stringify(messages[since]?.content))[turn];
			if (calls === undefined) return { content: model.toolAnswers().join('\n') || 'Done.' };
			return {
				content: null,
				tool_calls: calls.map(({ tool, input }, index) => ({
					id: `call_${messages.length}_${index}`,
					type: 'function',
					function: { name: tool, arguments: JSON.stringify(input) },
				})),
			};
		},
		transcribe: (audio) => ({ text: model.transcribe(audio), language: 'english', duration: 1 }),
	});
	const model: ScriptedModel = {
		...openAi,
		script: () => [],
		transcribe: () => '',
		toolAnswers() {
			const messages = openAi.requests.at(-1)?.messages ?? [];
			return messages
				.slice(messages.findLastIndex(({ role }) => role === 'user'))
				.filter(({ role }) => role === 'tool')
				.map(({ content }) => JSON.stringify(content));
		},
	};
	return model;
}
