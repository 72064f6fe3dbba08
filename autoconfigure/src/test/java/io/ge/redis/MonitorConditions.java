// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;

/**
 * No monitor is held while a thread may wait: until JDK 24 a virtual thread that waits
 * inside a monitor keeps its carrier, and a handful of them stop the application.
 * <p>
 * The library has no monitors of its own; what remains is code that the platform runs
 * while it holds one: the functions given to a concurrent map or a copy-on-write list,
 * and static initialisers. From each of those every call is followed, through
 * implementations and overrides, lambdas and method references, to what may wait. Code
 * that is not known, such as a function that was handed in, counts as waiting.
 */
final class MonitorConditions {

	private static final Set<String> RUN_UNDER_A_MONITOR = Set.of("compute", "computeIfAbsent", "computeIfPresent",
			"merge", "removeIf", "replaceAll");

	private static final List<String> WAITING = List.of("io/lettuce/", "io/netty/channel/", "redis/clients/",
			"org/springframework/data/redis/", "org/springframework/jdbc/", "org/springframework/transaction/",
			"java/sql/", "javax/sql/", "java/net/Socket", "java/net/http/", "java/nio/channels/",
			"java/util/concurrent/locks/", "java/util/concurrent/Future.get", "java/util/concurrent/FutureTask.get",
			"java/util/concurrent/CompletableFuture.get(", "java/util/concurrent/CompletableFuture.join(",
			"java/util/concurrent/CountDownLatch.await", "java/util/concurrent/Semaphore.acquire",
			"java/util/concurrent/BlockingQueue.", "java/util/concurrent/LinkedBlockingQueue.",
			"java/lang/Thread.sleep", "java/lang/Thread.join", "java/lang/Object.wait(");

	private static final List<String> MERE_VALUES = List.of("io/lettuce/core/resource/Delay.",
			"java/util/concurrent/locks/ReentrantLock.<init>(");

	private static final List<String> UNKNOWN_CODE = List.of("java/util/function/", "java/lang/Runnable.run",
			"java/util/concurrent/Callable.call", "org/aopalliance/intercept/", "java/lang/reflect/Method.invoke");

	private final Map<String, Type> types = new HashMap<>();

	private final Map<String, Set<String>> subtypes = new HashMap<>();

	MonitorConditions(JavaClasses classes) {
		classes.forEach(this::read);
		this.types.values().forEach((type) -> {
			for (String parent : type.parents) {
				this.subtypes.computeIfAbsent(parent, (name) -> new LinkedHashSet<>()).add(type.name);
			}
		});
	}

	private void read(JavaClass source) {
		try (InputStream stream = source.getSource().orElseThrow().getUri().toURL().openStream()) {
			Type type = new Type();
			new ClassReader(stream).accept(type, ClassReader.SKIP_FRAMES | ClassReader.SKIP_DEBUG);
			this.types.put(type.name, type);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	ArchCondition<JavaClass> notWaitInsideMonitors() {
		return new ArchCondition<>("not wait where the platform holds a monitor") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				MonitorConditions.this.violationsOf(MonitorConditions.this.types.get(internal(type)))
					.forEach((text) -> events.add(SimpleConditionEvent.violated(type, type.getName() + ": " + text)));
			}

		};
	}

	private static String internal(JavaClass type) {
		return type.getName().replace('.', '/');
	}

	private List<String> violationsOf(Type type) {
		List<String> violations = new ArrayList<>(type.unknownFunctions);
		for (String root : type.underMonitor) {
			String path = pathToWaiting(root);
			if (path != null) {
				violations.add(path);
			}
		}
		return violations;
	}

	/** Breadth first, so that the shortest path is shown. */
	private @Nullable String pathToWaiting(String root) {
		Map<String, String> pathTo = new HashMap<>(Map.of(root, root));
		Deque<String> next = new ArrayDeque<>(List.of(root));
		while (!next.isEmpty()) {
			String call = next.remove();
			String path = pathTo.get(call);
			if (mayWait(call)) {
				return path;
			}
			for (String target : callsFrom(call)) {
				if (pathTo.putIfAbsent(target, path + " -> " + target) == null) {
					next.add(target);
				}
			}
		}
		return null;
	}

	private boolean mayWait(String call) {
		return (startsWithOneOf(call, WAITING) && !startsWithOneOf(call, MERE_VALUES))
				|| startsWithOneOf(call, UNKNOWN_CODE);
	}

	private static boolean startsWithOneOf(String call, List<String> starts) {
		return starts.stream().anyMatch(call::startsWith);
	}

	/**
	 * What a method calls, and, since a call names the type it is made on, the same
	 * method of the types above and below.
	 */
	private Set<String> callsFrom(String call) {
		int dot = call.indexOf('.');
		String owner = call.substring(0, dot);
		String method = call.substring(dot);
		Set<String> targets = new LinkedHashSet<>();
		Type type = this.types.get(owner);
		if (type != null) {
			targets.addAll(type.calls.getOrDefault(method, Set.of()));
			if (!type.calls.containsKey(method)) {
				type.parents.forEach((parent) -> targets.add(parent + method));
			}
		}
		if (type != null && !method.startsWith(".<")) {
			this.subtypes.getOrDefault(owner, Set.of()).forEach((subtype) -> targets.add(subtype + method));
		}
		return targets;
	}

	/**
	 * A class as its bytecode tells it. Calls are written {@code owner.name(descriptor)},
	 * methods likewise without the owner.
	 */
	private static final class Type extends ClassVisitor {

		private final Set<String> parents = new LinkedHashSet<>();

		private final Map<String, Set<String>> calls = new HashMap<>();

		private final Set<String> underMonitor = new LinkedHashSet<>();

		private final List<String> unknownFunctions = new ArrayList<>();

		private String name = "";

		Type() {
			super(SpringAsmInfo.ASM_VERSION);
		}

		@Override
		public void visit(int version, int access, String name, String signature, String superName,
				String[] interfaces) {
			this.name = name;
			this.parents.add(superName);
			this.parents.addAll(List.of(interfaces));
		}

		@Override
		public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
				String[] exceptions) {
			if (method.equals("<clinit>")) {
				this.underMonitor.add(this.name + "." + method + descriptor);
			}
			Set<String> found = this.calls.computeIfAbsent("." + method + descriptor, (key) -> new LinkedHashSet<>());
			return new Calls(this, method, found);
		}

	}

	private static final class Calls extends MethodVisitor {

		private final Type type;

		private final String method;

		private final Set<String> found;

		/** The function that was made by the instruction just before. */
		private @Nullable String function;

		Calls(Type type, String method, Set<String> found) {
			super(SpringAsmInfo.ASM_VERSION);
			this.type = type;
			this.method = method;
			this.found = found;
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			this.function = null;
			for (Object argument : arguments) {
				if (argument instanceof Handle handle) {
					this.function = handle.getOwner() + "." + handle.getName() + handle.getDesc();
					this.found.add(this.function);
				}
			}
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			this.found.add(owner + "." + name + descriptor);
			if (owner.startsWith("java/util/") && RUN_UNDER_A_MONITOR.contains(name)) {
				if (this.function != null) {
					this.type.underMonitor.add(this.function);
				}
				else {
					this.type.unknownFunctions
						.add(this.method + " gives " + owner + "." + name + " a function that is not written there");
				}
			}
			this.function = null;
		}

		@Override
		public void visitInsn(int opcode) {
			this.function = null;
		}

		@Override
		public void visitIntInsn(int opcode, int operand) {
			this.function = null;
		}

		@Override
		public void visitVarInsn(int opcode, int index) {
			this.function = null;
		}

		@Override
		public void visitTypeInsn(int opcode, String name) {
			this.function = null;
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			this.function = null;
		}

		@Override
		public void visitLdcInsn(Object value) {
			this.function = null;
		}

		@Override
		public void visitJumpInsn(int opcode, Label label) {
			this.function = null;
		}

		@Override
		public void visitLabel(Label label) {
			this.function = null;
		}

	}

}
