// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * A Lua script with its SHA-1, computed once.
 * <p>
 * The name, {@code pattern/file}, is the tag of the script's timer.
 */
public final class LuaScript {

	private static final Set<LuaScript> LOADED = ConcurrentHashMap.newKeySet();

	private static final String ALLOW_OOM = "#!lua flags=allow-oom\n";

	private static final LuaScript EACH = functions(LuaScript.class, "each.lua");

	private static final LuaScript COMMAND = functions(LuaScript.class, "command.lua");

	private final String name;

	private final byte[] text;

	private final String sha;

	private final boolean runsWithoutMemory;

	private final @Nullable String command;

	private LuaScript(String name, byte[] text, boolean runsWithoutMemory) {
		this(name, text, runsWithoutMemory, null);
	}

	private LuaScript(String name, byte[] text, boolean runsWithoutMemory, @Nullable String command) {
		this.name = name;
		this.text = text;
		this.sha = sha1(text);
		this.runsWithoutMemory = runsWithoutMemory;
		this.command = command;
	}

	/**
	 * Loads a script from the package of a class.
	 */
	public static LuaScript load(Class<?> owner, String file) {
		return loaded(read(owner, file));
	}

	/**
	 * Reads functions that scripts are loaded with, or a text that is put around them,
	 * which runs in no other way.
	 */
	public static LuaScript functions(Class<?> owner, String file) {
		return read(owner, file);
	}

	/**
	 * Returns a script on one key that is nothing but a command. Drivers that can send
	 * the command do that instead.
	 * @param name the second half of the name of the script
	 * @param command the command, whose first argument is the key
	 */
	public static LuaScript command(Class<?> owner, String name, String command) {
		String text = new String(COMMAND.text, StandardCharsets.UTF_8).replace("--[[command]]", command);
		return new LuaScript(name(owner, name), text.getBytes(StandardCharsets.UTF_8), false, command);
	}

	/**
	 * Reads functions that use others.
	 */
	public static LuaScript functions(Class<?> owner, String file, LuaScript others) {
		return read(owner, file).behind(others);
	}

	private static String name(Class<?> owner, String name) {
		return owner.getPackageName().substring(owner.getPackageName().lastIndexOf('.') + 1) + "/" + name;
	}

	private static LuaScript read(Class<?> owner, String file) {
		String name = name(owner, file.replace(".lua", ""));
		try (InputStream stream = owner.getResourceAsStream(file)) {
			if (stream == null) {
				throw new IllegalArgumentException("No script " + file + " beside " + owner.getName());
			}
			return new LuaScript(name, stream.readAllBytes(), false);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot read the script " + name, ex);
		}
	}

	/**
	 * Loads a script from the package of a class, behind functions that several scripts
	 * share.
	 */
	public static LuaScript load(Class<?> owner, String file, LuaScript functions) {
		return loaded(read(owner, file).behind(functions));
	}

	private LuaScript behind(LuaScript functions) {
		String whole = new String(functions.text, StandardCharsets.UTF_8) + "\n"
				+ new String(this.text, StandardCharsets.UTF_8);
		return new LuaScript(this.name, whole.getBytes(StandardCharsets.UTF_8), false);
	}

	private static LuaScript loaded(LuaScript script) {
		LOADED.add(script);
		return script;
	}

	/**
	 * Returns the scripts that classes have loaded so far, which are the scripts of the
	 * patterns in use.
	 */
	public static List<LuaScript> loaded() {
		return List.copyOf(LOADED);
	}

	/**
	 * Returns a variant that asks the server to run the script even when its memory limit
	 * is reached. Servers before 7.0 do not know the flag; there the plain text runs.
	 */
	public LuaScript runningWithoutMemory() {
		String flagged = ALLOW_OOM + new String(this.text, StandardCharsets.UTF_8);
		return loaded(new LuaScript(this.name, flagged.getBytes(StandardCharsets.UTF_8), true));
	}

	/**
	 * Returns a script that does for each of several groups of keys what this one does
	 * for one. Its first argument is the number of keys of a group; keys, arguments and
	 * replies follow each other, and {@link ScriptReply#parts()} takes the replies apart.
	 * A group for which this script fails is answered with {@code failed}, unless it
	 * fails for all.
	 */
	public LuaScript forEach() {
		return loaded(new LuaScript(this.name + "-each", EACH.around(this).text, false));
	}

	/**
	 * Returns this script with the text of another one in place of {@code --[[script]]}.
	 * That place is in a function whose parameters are the other script's {@code KEYS}
	 * and {@code ARGV}.
	 */
	public LuaScript around(LuaScript inner) {
		return around(this.name, new String(inner.text, StandardCharsets.UTF_8));
	}

	/**
	 * Returns this script with another text, in the same way.
	 */
	public LuaScript around(String name, String inner) {
		String whole = new String(this.text, StandardCharsets.UTF_8).replace("--[[script]]", inner);
		return loaded(new LuaScript(name, whole.getBytes(StandardCharsets.UTF_8), false));
	}

	LuaScript withoutFlags() {
		String plain = new String(this.text, StandardCharsets.UTF_8).substring(ALLOW_OOM.length());
		return new LuaScript(this.name, plain.getBytes(StandardCharsets.UTF_8), false);
	}

	/**
	 * Returns the command that the script is, or {@code null} if it is more.
	 */
	@Nullable String command() {
		return this.command;
	}

	boolean hasFlags() {
		return this.runsWithoutMemory;
	}

	/**
	 * Returns the name, {@code pattern/file}.
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns the text.
	 * @return the UTF-8 bytes; not to be changed by the caller
	 */
	public byte[] text() {
		return this.text;
	}

	public String sha() {
		return this.sha;
	}

	private static String sha1(byte[] text) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-1", ex);
		}
	}

	@Override
	public String toString() {
		return this.name;
	}

}
