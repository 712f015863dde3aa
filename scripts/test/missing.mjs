/** Programs that some tests need and that set-up does not install. */

const isMac = process.platform === 'darwin';
const packages = isMac ? 'brew install' : 'sudo apt-get install --yes';

/** How to get each, by the name that stands in the reason of a skipped test. */
const commands = {
	Chromium: 'npx playwright-core install --with-deps chromium',
	ffmpeg: `${packages} ffmpeg`,
	jq: `${packages} jq`,
	// macOS has it.
	OpenSSH: 'sudo apt-get install --yes openssh-server',
	PostgreSQL: `${packages} postgresql`,
	Redis: `${packages} ${isMac ? 'redis' : 'redis-server'}`,
};

/**
 * @param {(string | undefined)[]} reasons why tests were skipped
 * @returns {string[]} a line for each program that is missing, with the command that brings it
 */
export function missingPrograms(reasons) {
	return Object.entries(commands)
		.filter(([name]) => reasons.some((reason) => reason?.includes(name)))
		.map(([name, command]) => `  ${name.padEnd(12)}${command}`);
}
