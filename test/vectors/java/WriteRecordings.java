import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Writes the encrypted recordings beside this file and their list, recordings.json. It follows the service specification
 * ("Encrypted file (.enc) layout", "Key derivation constants") and uses the primitives of Java, which are not those of
 * OpenSSL and Node.
 *
 * Run it in this folder, with Java 17 or later: java WriteRecordings.java
 *
 * It writes the same bytes each time: salts and nonces come from the names of the files. Never do so with real recordings.
 */
public class WriteRecordings {
	static final int ITERATIONS = 310_000;
	static final String PASSWORD = "correct horse battery staple";
	static final String ALTERED = "wrongPasswordOrAltered";

	static final List<String> list = new ArrayList<>();

	public static void main(String[] args) throws Exception {
		for (int bytes : new int[] {0, 1, 15, 16, 17, 1000, 65_537}) {
			write("bytes-" + bytes, PASSWORD, noise(bytes, ""), "opened", file -> file);
		}
		write("opus", PASSWORD, noise(3000, "OggS\0\2"), "opened", file -> file);
		write("mp3", PASSWORD, noise(3000, "ID3\3\0\0\0\0\0\0"), "opened", file -> file);
		write("wav", PASSWORD, noise(3000, "RIFF\u0024\0\0\0WAVEfmt "), "opened", file -> file);
		write("password-long", "x".repeat(200), noise(100, ""), "opened", file -> file);
		write("password-spaces", "  pass word  ", noise(100, ""), "opened", file -> file);
		write("password-composed", "caf\u00e9", noise(100, ""), "opened", file -> file);
		write("password-decomposed", "cafe\u0301", noise(100, ""), "opened", file -> file);
		write("password-other-scripts", "\u5bc6\u7801 \u043f\u0430\u0440\u043e\u043b\u044c \ud83d\udd10", noise(100, ""), "opened", file -> file);

		write("tag-altered", PASSWORD, noise(1000, ""), ALTERED, file -> flipped(file, file.length - 1));
		write("tag-of-another", PASSWORD, noise(1000, ""), ALTERED, file -> tagOf(file, "bytes-1000"));
		write("tag-missing", PASSWORD, noise(1000, ""), ALTERED, file -> Arrays.copyOf(file, file.length - 16));
		write("tag-short", PASSWORD, noise(1000, ""), ALTERED, file -> Arrays.copyOf(file, file.length - 4));
		write("salt-altered", PASSWORD, noise(1000, ""), ALTERED, file -> flipped(file, 0));
		write("nonce-altered", PASSWORD, noise(1000, ""), ALTERED, file -> flipped(file, 16));
		write("ciphertext-altered", PASSWORD, noise(1000, ""), ALTERED, file -> flipped(file, 500));
		write("cut-by-one", PASSWORD, noise(1000, ""), ALTERED, file -> Arrays.copyOf(file, file.length - 1));
		write("cut-in-the-middle", PASSWORD, noise(1000, ""), ALTERED, file -> Arrays.copyOf(file, 512));
		write("cut-to-44", PASSWORD, noise(1000, ""), ALTERED, file -> Arrays.copyOf(file, 44));
		write("cut-to-43", PASSWORD, noise(1000, ""), "notEncrypted", file -> Arrays.copyOf(file, 43));
		write("cut-to-nothing", PASSWORD, noise(1000, ""), "notEncrypted", file -> new byte[0]);
		write("longer-by-one", PASSWORD, noise(1000, ""), ALTERED, file -> Arrays.copyOf(file, file.length + 1));
		add("another-password", PASSWORD, noise(1000, ""), ALTERED,
			encrypted("another-password", "another password", noise(1000, ""), "PBKDF2WithHmacSHA256", ITERATIONS));
		add("fewer-iterations", PASSWORD, noise(1000, ""), ALTERED,
			encrypted("fewer-iterations", PASSWORD, noise(1000, ""), "PBKDF2WithHmacSHA256", ITERATIONS - 1));
		add("another-hash", PASSWORD, noise(1000, ""), ALTERED,
			encrypted("another-hash", PASSWORD, noise(1000, ""), "PBKDF2WithHmacSHA512", ITERATIONS));

		Files.writeString(Path.of("recordings.json"), "[\n" + String.join(",\n", list) + "\n]\n");
	}

	interface Change {
		byte[] of(byte[] file) throws GeneralSecurityException;
	}

	static void write(String name, String password, byte[] plain, String outcome, Change change)
			throws GeneralSecurityException, IOException {
		byte[] file = encrypted(name, password, plain, "PBKDF2WithHmacSHA256", ITERATIONS);
		add(name, password, plain, outcome, change.of(file));
	}

	static void add(String name, String password, byte[] plain, String outcome, byte[] file)
			throws GeneralSecurityException, IOException {
		Files.write(Path.of(name + ".enc"), file);
		String content = outcome.equals("opened")
			? String.format(", \"sha256\": \"%s\"", HexFormat.of().formatHex(sha256(plain)))
			: "";
		list.add(String.format(
			"\t{ \"file\": \"%s.enc\", \"password\": \"%s\", \"outcome\": \"%s\"%s }",
			name, ascii(password), outcome, content));
	}

	/** Salt, nonce, ciphertext, tag. */
	static byte[] encrypted(String name, String password, byte[] plain, String kdf, int iterations)
			throws GeneralSecurityException {
		byte[] random = sha256(name.getBytes(StandardCharsets.UTF_8));
		byte[] salt = Arrays.copyOf(random, 16);
		byte[] nonce = Arrays.copyOfRange(random, 16, 28);
		PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, iterations, 256);
		byte[] key = SecretKeyFactory.getInstance(kdf).generateSecret(spec).getEncoded();
		Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
		cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
		return joined(salt, nonce, cipher.doFinal(plain));
	}

	static byte[] flipped(byte[] file, int at) {
		byte[] altered = file.clone();
		altered[at] ^= 1;
		return altered;
	}

	static byte[] tagOf(byte[] file, String other) throws GeneralSecurityException {
		byte[] from = encrypted(other, PASSWORD, noise(1000, ""), "PBKDF2WithHmacSHA256", ITERATIONS);
		byte[] tag = Arrays.copyOfRange(from, from.length - 16, from.length);
		return joined(Arrays.copyOf(file, file.length - 16), tag);
	}

	/** Bytes without a pattern, the same each time, after a beginning. */
	static byte[] noise(int bytes, String head) throws GeneralSecurityException {
		byte[] noise = head.getBytes(StandardCharsets.ISO_8859_1);
		for (int part = 0; noise.length < bytes; part++) {
			noise = joined(noise, sha256(("noise " + part).getBytes(StandardCharsets.UTF_8)));
		}
		return Arrays.copyOf(noise, bytes);
	}

	static byte[] sha256(byte[] bytes) throws GeneralSecurityException {
		return MessageDigest.getInstance("SHA-256").digest(bytes);
	}

	static byte[] joined(byte[]... parts) {
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		for (byte[] part : parts) all.writeBytes(part);
		return all.toByteArray();
	}

	static String ascii(String text) {
		StringBuilder escaped = new StringBuilder();
		for (char one : text.toCharArray()) {
			escaped.append(one < 128 ? String.valueOf(one) : String.format("\\u%04x", (int) one));
		}
		return escaped.toString();
	}
}
