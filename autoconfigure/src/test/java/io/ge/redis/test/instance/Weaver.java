// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.core.script.LuaScript;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;

/**
 * Weaves failpoints and sabotage into the classes of this JVM, loaded or not.
 */
final class Weaver {

	private static final ClassLoader LOADER = Weaver.class.getClassLoader();

	/** What is woven into each class, outermost first. */
	private static final Map<Class<?>, List<AsmVisitorWrapper>> WOVEN = new LinkedHashMap<>();

	private Weaver() {
	}

	static Instrumentation instrumentation() {
		return ByteBuddyAgent.install();
	}

	static void failpoint(String id, Failpoint failpoint) throws ReflectiveOperationException {
		Class<?> advice = (failpoint.position() == Failpoint.Position.ENTER) ? Enter.class : Exit.class;
		weave(failpoint.type(), failpoint.method(), false, Advice.withCustomMapping().bind(Id.class, id).to(advice));
	}

	static void skip(String id, String type, String method) throws ReflectiveOperationException {
		weave(type, method, false, Advice.withCustomMapping().bind(Id.class, id).to(Skip.class));
	}

	static void answer(String id, String type, String method) throws ReflectiveOperationException {
		Advice.WithCustomMapping mapping = Advice.withCustomMapping().bind(Id.class, id);
		weave(type, method, true, mapping.to(Answer.class));
	}

	/**
	 * Lets scripts that are read from now on be sabotaged.
	 */
	static void scripts() {
		weave(LuaScript.class, Advice.to(Text.class).on(ElementMatchers.isConstructor()));
	}

	private static void weave(String type, String method, boolean returning, Advice advice)
			throws ReflectiveOperationException {
		Class<?> target = Class.forName(type, false, LOADER);
		ElementMatcher.Junction<MethodDescription> methods = ElementMatchers.named(method);
		if (TypeDescription.ForLoadedType.of(target).getDeclaredMethods().filter(methods).isEmpty()) {
			throw new NoSuchMethodException(type + " has no method " + method);
		}
		if (returning) {
			methods = methods.and(ElementMatchers.not(ElementMatchers.returns(void.class)));
		}
		weave(target, advice.on(methods.and(ElementMatchers.not(ElementMatchers.isAbstract()))));
	}

	static synchronized void weave(Class<?> target, AsmVisitorWrapper change) {
		List<AsmVisitorWrapper> changes = WOVEN.computeIfAbsent(target, (type) -> new ArrayList<>());
		// Around what is there
		changes.add(0, change);
		redefine(target, changes);
	}

	/**
	 * Takes everything out again. What a class has computed meanwhile stays, such as the
	 * text of a script.
	 */
	static synchronized void undo() {
		WOVEN.keySet().forEach((target) -> redefine(target, List.of()));
		WOVEN.clear();
	}

	private static void redefine(Class<?> target, List<AsmVisitorWrapper> changes) {
		DynamicType.Builder<?> builder = new ByteBuddy().decorate(target);
		for (AsmVisitorWrapper change : changes) {
			builder = builder.visit(change);
		}
		try {
			instrumentation().redefineClasses(new ClassDefinition(target, builder.make().getBytes()));
		}
		catch (ClassNotFoundException | UnmodifiableClassException ex) {
			throw new IllegalStateException("Cannot weave " + target.getName(), ex);
		}
	}

	/**
	 * Stands for the id of a failpoint or sabotage.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Id {

	}

	/**
	 * Woven before the first line.
	 */
	static final class Enter {

		@Advice.OnMethodEnter
		static void reach(@Id String id) {
			Woven.reach(id);
		}

	}

	/**
	 * Woven after the last line.
	 */
	static final class Exit {

		@Advice.OnMethodExit(onThrowable = Throwable.class)
		static void reach(@Id String id) {
			Woven.reach(id);
		}

	}

	/**
	 * Woven around all lines.
	 */
	static final class Skip {

		@Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
		static boolean skip() {
			return true;
		}

	}

	/**
	 * Woven around all lines.
	 */
	static final class Answer {

		@Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
		static boolean skip() {
			return true;
		}

		@Advice.OnMethodExit
		static void answer(@Id String id, @Advice.Origin("#r") String returned,
				@Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) @Nullable Object result) {
			result = Woven.answer(id, returned.equals("java.util.concurrent.CompletableFuture")
					|| returned.equals("java.util.concurrent.CompletionStage"));
		}

	}

	/**
	 * Woven before the first line of what makes a script of a text.
	 */
	static final class Text {

		@Advice.OnMethodEnter
		static void read(@Advice.Argument(value = 1, readOnly = false) byte[] text) {
			text = Woven.text(text);
		}

	}

}
