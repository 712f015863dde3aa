import type { Asker, Exchange } from './asker';
import type { ListFacts } from './recordings';
import type { Finding } from './settings';

/** What the headers and the first bytes of a recording show. */
export function exploreDownload(asker: Asker, facts: ListFacts | undefined): Finding[] {
	const { download } = facts ?? {};
	const tried = asker.exchanges.filter(({ name }) => name === 'download');
	const question = 'How does a recording arrive?';
	if (!download?.answer?.file) {
		const [last] = tried.slice(-1);
		const status = last?.answer ? `Status ${last.answer.status}` : last?.failure?.message;
		const answer = last ? `No recording came: ${status}.` : 'Not asked: no recording is listed.';
		return [{ question, answer, recognized: last ? false : null }];
	}
	return [arrivalFinding(question, download), formatFinding(download, asker.passwords.length > 0)];
}

function arrivalFinding(question: string, { answer }: Exchange): Finding {
	const { hops = [], headers = {}, file, status } = answer ?? {};
	const hosts = hops.map(({ location, status }) => `${status} to ${hostOf(location)}`);
	const parts = [
		`Status ${status}`,
		hops.length > 0 ? `after a redirect (${hosts.join(', then ')})` : 'directly',
		`content type ${headers['content-type'] ? 'sent' : 'missing'}`,
		`length ${file?.bytes === undefined ? 'missing' : 'announced'}`,
		`file name ${headers['content-disposition'] ? 'sent' : 'missing'}`,
	];
	return { question, answer: `${parts.join(', ')}.`, recognized: true };
}

/** Only the kind of target: its host and query may hold a secret. */
function hostOf(location: string): string {
	return /^[a-z][a-z\d+.-]*:|^\/\//i.test(location) ? 'another address' : 'a path';
}

function formatFinding(download: Exchange, hasPassword: boolean): Finding {
	const question = 'What kind of file is it?';
	const { format, isOpened } = download.answer?.file ?? {};
	if (format !== 'enc') return { question, answer: `Audio: ${format}.`, recognized: true };
	if (isOpened) {
		const answer = 'Encrypted, and a password of the credential opens it.';
		return { question, answer, recognized: true };
	}
	const answer = 'It looks encrypted, and no password of the credential opens it.';
	const advice = hasPassword
		? "If it was recorded with another password, enter that as 'Previous Password'"
		: "Enter the password as 'Recording Password'";
	return { question, answer, recognized: false, advice };
}
