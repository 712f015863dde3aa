/** What is wrong with a recording. */
export const recordings = {
	notEncrypted: [
		'This is not an encrypted recording',
		'An encrypted recording (.enc) has at least 44 bytes and does not start like an audio file. Check that the right file is read, or whether the call was recorded without a password.',
	],
	wrongPasswordOrAltered: [
		'The recording cannot be decrypted: wrong password, or the file was altered',
		"Correct the VoiceAgent Recording Password API credential: if the password was changed since the call, add the old one under 'Previous Passwords'. If it is right, download the file again; to keep audio of an unknown kind as it is, set 'Decrypt' of Download to 'Never'.",
	],
	notARecording: [
		'The service answered with something that is not a recording',
		"An empty answer or a text page arrived instead of audio. Check the 'Base URL' and any proxy in between.",
	],
	recordingIncomplete: [
		'The recording is not complete',
		"The service may still be writing it: raise the option 'Wait Until Available (Seconds)', or try again later. If this happens with every recording, check any proxy in between, or set 'Decrypt' of Download to 'Never'.",
	],
	recordingNotReady: [
		'The recording is not ready yet',
		"Set or raise the option 'Wait Until Available (Seconds)', or try again later. Nothing was output.",
	],
	notArchived: [
		'The recording was not deleted: no proof that it is in the archive',
		'Download, and a node that stores the file and reports its checksum or one that reads it back, must be before this node. A sweep archives the recording again.',
	],
	proofOutdated: [
		'The recording was not deleted: the proof is from an earlier execution',
		'The archive may have changed since: a retry or a single step does not ask it again. Run the whole workflow, or let a sweep archive the recording again.',
	],
	proofFailed: [
		'The recording was not deleted: the archived file differs from the download',
		'Check the archived file, archive the recording again, and then delete it. The service still has it.',
	],
	recordingGone: [
		'The recording is gone: deleted, or purged 7 days after the call ended',
		"A call that was not recorded has none either: check the session GUID, and whether your answer to CallStart sets recordCall. If the call has just ended, set the option 'Wait Until Available (Seconds)' of Download.",
	],
	stillListed: [
		'The service answers that there is no such recording, but its list shows it',
		"Nothing was deleted. Check the 'Base URL' and any proxy in between.",
	],
	maybeGone: [
		'It is not clear whether the recording is gone',
		'The service answers that there is no such recording, but its list cannot confirm it. Nothing was deleted or output: try again later.',
	],
} as const;
