// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.lock.internal.LockControl;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * {@code /actuator/geredis/lock} lists the locks that callers of any instance hold or
 * wait for. {@code /actuator/geredis/lock/<name>?key=42} shows one lock. A delete
 * releases it and hands it on. The holder is notified as of any other loss.
 * <p>
 * A key of several parts is given by repeating the parameter. Without a key, the request
 * is about the lock of all calls. A listed lock can also be named by its {@code hash},
 * since keys are not shown.
 */
@RegisterReflectionForBinding({ LockControl.Listing.class, LockControl.Look.class, LockResource.ReleaseReport.class })
class LockResource extends GuardResource {

	private static final String NAME = "lock";

	private static final String KEY = "key";

	private static final String HASH = "hash";

	private final Supplier<LockControl> control;

	private final GuardedMethods methods;

	private final GuardFigures figures;

	public LockResource(Supplier<LockControl> control, GuardedMethods methods, GuardFigures figures) {
		super(NAME);
		this.control = control;
		this.methods = methods;
		this.figures = figures;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(Set.of(KEY, HASH));
		LockControl control = this.control.get();
		String name = request.name(control::exists);
		if (name.isEmpty()) {
			request.allowOnly(Set.of());
			return control.list();
		}
		String hash = hash(request, name);
		LockControl.Look look = (hash != null) ? control.look(found(control, name, hash))
				: control.look(name, request.texts(KEY));
		if (!look.held() && look.holder() == null && look.shared() == null && look.waitingInstances() == 0) {
			requireKnown(control, name);
		}
		return look;
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(Set.of(KEY, HASH));
		LockControl control = this.control.get();
		String name = request.name("lock", control::exists);
		String hash = hash(request, name);
		boolean released = (hash != null) ? control.release(found(control, name, hash))
				: control.release(name, request.texts(KEY));
		if (!released) {
			requireKnown(control, name);
		}
		return new ReleaseReport(name, released);
	}

	/**
	 * Refuses a name that neither an annotation nor a property has, and no code of this
	 * instance has used.
	 */
	private void requireKnown(LockControl control, String name) {
		if (!control.exists(name) && this.figures.of(NAME, name).isEmpty()) {
			throw GuardRequestException.notFound(
					"This instance knows no lock '" + name + "', and it is not held under this key.",
					"List the locks, without a name in the path.");
		}
	}

	private @Nullable String hash(GuardRequest request, String name) {
		request.allowOneOf(HASH, KEY);
		String hash = request.text(HASH);
		if (hash == null && request.texts(KEY).isEmpty()) {
			requireNoKey(name);
		}
		return hash;
	}

	/**
	 * Refuses a request without a key if each method of the lock has one: it would be
	 * about a lock that no call takes.
	 */
	private void requireNoKey(String name) {
		List<Map<String, Setting>> uses = this.methods.all()
			.stream()
			.map(GuardedMethods.Entry::guard)
			.filter((guard) -> guard.pattern().equals(NAME) && guard.name().equals(name))
			.map(GuardDescription::settings)
			.toList();
		if (!uses.isEmpty() && uses.stream().allMatch((use) -> use.containsKey("key") || use.containsKey("keys"))) {
			throw GuardRequestException.invalid(KEY, "Lock '" + name + "' has a key, and key is missing.",
					"Add ?key= with its value, once for each part, or ?hash= as the list has it.");
		}
	}

	private static LockControl.Found found(LockControl control, String name, String hash) {
		LockControl.Found found = control.find(name, hash);
		if (found == null) {
			throw GuardRequestException.notFound(
					"No instance that answered holds or waits for a lock '" + name + "' with the hash '" + hash + "'.",
					"List the locks again, or give the key.");
		}
		return found;
	}

	public record ReleaseReport(String name, boolean released) {
	}

}
